"""Renders runs for a terminal: lists, tables and small charts that fit its width. Nothing here prints."""
