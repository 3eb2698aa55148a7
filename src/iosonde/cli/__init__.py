"""The command line: parse, call, print, exit code. One file a command; only this room prints and exits."""
