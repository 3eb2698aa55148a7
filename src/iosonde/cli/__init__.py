"""The command line: parse, call, print, exit code. One file per command. Only this package prints and exits."""
