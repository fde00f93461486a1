"""Design control: gains by pole placement, time laws through singularities."""
