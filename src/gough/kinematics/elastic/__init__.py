"""Machines that yield: how they vibrate, and how they answer to what shakes them."""
