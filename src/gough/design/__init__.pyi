from . import demands as demands
from .measures import Objective as Objective, Requirement as Requirement
from .design import (
    Choice as Choice,
    Choices as Choices,
    Design as Design,
    NoDesignError as NoDesignError,
    choices as choices,
)
from .demands import Demand as Demand, demand_of_study as demand_of_study
from .design_result import (
    DesignResult as DesignResult,
    ConstraintValue as ConstraintValue,
    ActiveConstraint as ActiveConstraint,
    Relaxation as Relaxation,
)
from .development import Development as Development, LimitCheck as LimitCheck, develop as develop
from .search import Front as Front
from .problem import Evaluation as Evaluation
from .proved import RequirementProof as RequirementProof
from .variables import Variable as Variable
