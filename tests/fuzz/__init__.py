"""Mistakes by the thousand, in everything that a user can give: understood or refused, no crash.

The suite runs a small, seeded share; `GOUGH_FUZZ=20000` asks for so many of each kind.
"""
