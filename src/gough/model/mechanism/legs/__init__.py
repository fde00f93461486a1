"""Legs as trees from the base, in link frames, and what they carry."""
