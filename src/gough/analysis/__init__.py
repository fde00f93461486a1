"""What a motion asks of a machine: quantities along it, figures of them, warnings."""
