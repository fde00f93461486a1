"""What the world does to the platform along a motion."""
