from .description import (
    Body as Body,
    Connector as Connector,
    Coupling as Coupling,
    Decoupling as Decoupling,
    Drive as Drive,
    Home as Home,
    JointFriction as JointFriction,
    Leg as Leg,
    Platform as Platform,
    Robot as Robot,
    Stop as Stop,
)
from .files import library_names as library_names, load as load, save as save
