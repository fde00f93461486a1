"""What is compiled: symbolic functions, and programs of scalar operations."""
