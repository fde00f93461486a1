"""Controllers for one sample: from a measurement, a reference and a state to a command."""
