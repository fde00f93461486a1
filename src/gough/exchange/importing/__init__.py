"""Machines from files of other tools: MJCF, and URDF with its loops."""
