"""Findings and figures in; terminal summary, HTML page, CSV and JSON out.

A report needs a run's record and its findings, and nothing else: no target, no engine, no network.
"""
