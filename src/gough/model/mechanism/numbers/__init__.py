"""Numbers of a machine in its equations: traced ones, masses, springs, families."""
