from .as_mechanism import as_mechanism as as_mechanism
from .description import (
    Hexapod as Hexapod,
    Mechanism as Mechanism,
    Robot as Robot,
    actuator_names as actuator_names,
)
from .files import library_names as library_names, load as load, save as save
from .home.configuration import HomeConfiguration as HomeConfiguration, HomeJoint as HomeJoint
from .home.spanning import connected as connected, spanning_tree as spanning_tree
from .joint_kinds import BetweenBodies as BetweenBodies
from .mechanism import BASE as BASE, MOVES as MOVES, PLATFORM as PLATFORM, Joint as Joint
from .mesh import Mesh as Mesh
from .numbers import (
    UPPER as UPPER,
    matching as matching,
    numbers_of as numbers_of,
    parameters_of as parameters_of,
    places_of as places_of,
)
from .records import (
    FREE_FALL as FREE_FALL,
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
