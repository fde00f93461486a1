"""Find where a robot can go: volume, travel along each axis, a box of poses."""
