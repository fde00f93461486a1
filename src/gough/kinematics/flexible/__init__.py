"""Machines with links that bend: dynamics with their elastic coordinates, natural frequencies."""
