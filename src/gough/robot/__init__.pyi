from .description import (
    Hexapod as Hexapod,
    Mechanism as Mechanism,
    Robot as Robot,
)
from .files import library_names as library_names, load as load, save as save
from .mesh import Mesh as Mesh
from .records import (
    Actuator as Actuator,
    Body as Body,
    Connector as Connector,
    Coupling as Coupling,
    Decoupling as Decoupling,
    Drive as Drive,
    GearDrive as GearDrive,
    Home as Home,
    JointFriction as JointFriction,
    Leg as Leg,
    Platform as Platform,
    Stop as Stop,
)
