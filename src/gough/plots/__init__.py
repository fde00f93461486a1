"""Pictures of machines, and what all pictures share."""
