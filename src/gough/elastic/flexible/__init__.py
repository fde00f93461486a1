"""Machines with flexible links: dynamics with their elastic coordinates, natural frequencies."""
