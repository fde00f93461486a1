from .description import Robot as Robot
from .files import library_names as library_names, load as load, save as save
from .records import (
    Body as Body,
    Connector as Connector,
    Coupling as Coupling,
    Decoupling as Decoupling,
    Drive as Drive,
    Home as Home,
    JointFriction as JointFriction,
    Leg as Leg,
    Platform as Platform,
    Stop as Stop,
)
