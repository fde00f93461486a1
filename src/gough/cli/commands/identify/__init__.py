"""Identify a real machine: inertia, friction, payload and geometry from measurements."""
