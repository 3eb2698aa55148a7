"""Estimates in, figures out: one file for each family of charts, and one theme for all.

A figure knows no files and no page. Whatever has no figures is left out of a chart and named beside it, never drawn
as 0.
"""
