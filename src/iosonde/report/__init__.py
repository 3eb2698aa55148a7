"""Turns findings and figures into a terminal summary, an HTML page, a PDF, Markdown, CSV and JSON.

A report needs only the run record and its findings: no target, no engine, no network.
"""
