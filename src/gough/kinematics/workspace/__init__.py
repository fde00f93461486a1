"""Workspaces: reachable positions and orientations of a platform."""
