"""What a robot is: its description, its file, and a library of published machines."""

from gough.robot.description import (
    Body,
    Connector,
    Coupling,
    Decoupling,
    Drive,
    Home,
    JointFriction,
    Leg,
    Platform,
    Robot,
    Stop,
)
from gough.robot.files import library_names, load, save

__all__ = [
    "Body",
    "Connector",
    "Coupling",
    "Decoupling",
    "Drive",
    "Home",
    "JointFriction",
    "Leg",
    "Platform",
    "Robot",
    "Stop",
    "library_names",
    "load",
    "save",
]
