from .records import load_catalogue as load_catalogue
from .criteria import (
    CRITERIA as CRITERIA,
    buckling_load as buckling_load,
    critical_speed as critical_speed,
    OperatingConditions as OperatingConditions,
    Criterion as Criterion,
)
from .envelope import Envelope as Envelope, EnvelopeFigure as EnvelopeFigure, envelope as envelope
from .criteria import Life as Life, mean_load as mean_load, rating_life as rating_life
from .records import (
    CatalogueBearing as CatalogueBearing,
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
    CriterionResult as CriterionResult,
    Selection as Selection,
)
from .criteria import temperature_rise as temperature_rise
