"""What moves the legs: drives, compliant connectors, friction, end stops."""
