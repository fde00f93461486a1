"""Algorithms over many evaluations of a robot's kinematics."""
