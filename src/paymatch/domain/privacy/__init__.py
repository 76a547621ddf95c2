"""Personal data: by what a person is found, and what is left of an order once they are erased (D-63).

Given what somebody asks for; hands patterns and documents to `usecases/privacy`.
"""
