"""Solve the kinematics of a robot at one pose."""
