"""Proofs by interval arithmetic: limits that hold in every pose of a box, and certificates."""
