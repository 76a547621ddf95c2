"""Commands of connectors to shop systems: add, test, start, pause, show, run, remove"""
