"""A model file of a user's, without a mistake."""

MODEL = """kind = "queueing"
title = "mine"
about = "A drive of mine."
size_bytes = 1_073_741_824
servers = 4
service = "constant"
service_ns = 100_000
"""
