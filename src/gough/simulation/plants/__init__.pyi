from .plant import Plant as Plant
from .real import (
    force_commanded as force_commanded,
    real_plant as real_plant,
    rigid_plant as rigid_plant,
)
