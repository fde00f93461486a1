"""Closed loops: loop-closure joints, their constraint rows, and how joints follow the platform."""
