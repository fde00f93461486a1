"""Controllers tuned for a machine, and the quality of their loops."""
