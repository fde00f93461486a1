"""What a robot is: its description, its file, and a library of published machines."""

from gough.robot.description import Robot
from gough.robot.files import library_names, load, save
from gough.robot.records import (
    Body,
    Connector,
    Coupling,
    Decoupling,
    Drive,
    Home,
    JointFriction,
    Leg,
    Platform,
    Stop,
)

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
