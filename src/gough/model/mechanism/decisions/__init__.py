"""What is decided once for a machine, on samples: freedoms, plans, positions, reactions."""
