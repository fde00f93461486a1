"""Inverse kinematics for microcontrollers."""
