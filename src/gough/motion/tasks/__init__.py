"""Loads on the platform along a motion."""
