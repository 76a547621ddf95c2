"""Personal data of one person: found, exported, erased; what is kept how long (D-63).

Given what somebody asks for; hands rows to `store/privacy`, files to their doors.
"""
