"""A robot's equations with its numbers: kernels by name, parameters, export."""
