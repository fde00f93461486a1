"""Machines of any kind: legs that are trees of hinges and slides, closed at the platform."""
