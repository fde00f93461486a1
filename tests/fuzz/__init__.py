"""Robots and studies with mistakes in them, by the thousand: understood or refused, never a crash.

The suite runs a small, seeded share; `GOUGH_FUZZ=20000` asks for so many of each.
"""
