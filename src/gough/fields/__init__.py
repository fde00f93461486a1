"""What files are made of: quantities with units, tables, and words about mistakes."""
