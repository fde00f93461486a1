"""Machines as trees of bodies whose loops are closed apart: MJCF, URDF, SDF, ROS 2 packages."""
