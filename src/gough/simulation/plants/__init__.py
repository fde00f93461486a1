"""What controllers drive: rigid bodies, or machines with all that their files say of them."""

from gough.simulation.plants.plant import Plant
from gough.simulation.plants.real import force_commanded, real_plant
from gough.simulation.plants.rigid import rigid_plant

__all__ = ["Plant", "force_commanded", "real_plant", "rigid_plant"]
