"""Machine code for this computer, as NumPy functions and recurrences."""
