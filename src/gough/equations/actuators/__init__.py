"""Actuators of the legs: drives, compliant connectors, friction, end stops."""
