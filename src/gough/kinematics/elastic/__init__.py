"""Machines that yield: how stiff they are, how they vibrate, how they answer to shaking."""
