"""Studies: say what a platform must do, and see what its actuators need for it."""
