"""Machines that yield: how stiff they are."""
