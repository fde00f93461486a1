"""The machine in its home configuration: bodies, joints, rods."""
