"""Singular configurations: distance, type, and crossings of a motion."""
