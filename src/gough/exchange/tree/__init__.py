"""Machines as trees of bodies whose loops are closed apart: MJCF, URDF and SDF."""
