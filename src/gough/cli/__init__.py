"""The command line: one file per command, each around one or two library functions."""
