"""Workspaces: where a platform can go and how it can turn."""
