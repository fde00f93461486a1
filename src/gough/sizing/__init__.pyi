from .catalogue import load_catalogue as load_catalogue
from .columns import (
    buckling_load as buckling_load,
    critical_speed as critical_speed,
    euler_load as euler_load,
    johnson_load as johnson_load,
)
from .criteria import CRITERIA as CRITERIA, Conditions as Conditions, Criterion as Criterion
from .envelope import Envelope as Envelope, Worst as Worst, envelope as envelope
from .life import Life as Life, mean_load as mean_load, rating_life as rating_life
from .records import (
    Bearing as Bearing,
    Catalogue as Catalogue,
    CatalogueActuator as CatalogueActuator,
    CylinderMotor as CylinderMotor,
    CylinderScrew as CylinderScrew,
    ForceAtSpeed as ForceAtSpeed,
)
from .select import select as select
from .selection import (
    Candidate as Candidate,
    Lifetime as Lifetime,
    Requirement as Requirement,
    Selection as Selection,
)
from .criteria import warming as warming
