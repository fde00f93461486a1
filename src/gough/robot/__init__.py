"""What a robot is: its description, its file, and a library of published machines."""

from gough.robot.description import Body, Drive, Home, Leg, Platform, Robot
from gough.robot.files import library_names, load, save

__all__ = ["Body", "Drive", "Home", "Leg", "Platform", "Robot", "library_names", "load", "save"]
