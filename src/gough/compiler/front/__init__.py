"""Input of the compiler: symbolic functions, and programs of scalar operations."""
