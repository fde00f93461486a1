"""Geometric calibration: joint centres, offsets and gains from measured poses."""
