"""The platform among its legs: Newton's method, limits of reach, singularity."""
