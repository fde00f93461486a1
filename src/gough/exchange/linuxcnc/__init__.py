"""Machines for LinuxCNC: kinematics components."""
