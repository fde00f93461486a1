"""Plants of controllers: rigid bodies, or machines with all effects stated in their files."""
