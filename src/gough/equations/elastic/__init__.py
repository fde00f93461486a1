"""Elasticity under load: stiffness, and the matrices of small vibrations."""
