"""How a motion goes along its way in time."""
