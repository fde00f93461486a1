"""The command line: what its commands share, and how they begin and end."""
