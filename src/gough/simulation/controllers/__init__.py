"""Controllers and their sensors."""
