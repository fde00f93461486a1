from .algebra import (
    compose as compose,
    difference as difference,
    displace as displace,
    distance as distance,
    interpolate as interpolate,
    inverse as inverse,
    relative as relative,
    transform as transform,
)
from .frames import Frames as Frames
from .making import euler as euler, pose as pose, rotation as rotation
