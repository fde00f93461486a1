"""Tolerances: what errors of a machine's numbers do to its poses, forces and margins."""
