"""Motions: lines and turns, splines, expressions, records, sequences."""
