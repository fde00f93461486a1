"""Parallel robots: legs that are trees of hinges and slides, closed at the platform."""
