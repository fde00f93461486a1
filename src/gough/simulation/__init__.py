"""Simulation: what a machine does under forces or a controller."""
