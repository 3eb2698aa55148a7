"""Turns estimates into charts: one file for each family of charts, and one theme for all.

Charts do not depend on files or the page. A cell without figures is never drawn as 0: the chart omits it, and the text
beside the chart names it.
"""
