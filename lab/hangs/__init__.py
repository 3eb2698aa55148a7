"""Targets that stop answering, one scenario for each place where iosonde may wait for one.

In: FUSE and loop devices over files of its own, as root. Out: a table of when and how each ended.
"""
