"""Gough: parallel robots, exactly and fast.

    import gough

    model = gough.Model(gough.load("kalani-2016"))
    model.inverse_kinematics([0, 0, 1, 1, 0, 0, 0])

Names are imported when they are first used, so that `import gough` is quick and needs only what
a program uses.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gough._version import __version__
from gough.errors import (
    CompilerError,
    GoughError,
    InputError,
    KernelArgumentError,
    RobotError,
    SingularConfiguration,
)

if TYPE_CHECKING:
    from gough import poses
    from gough.analysis.results import Results
    from gough.compiler.native.kernel import Kernel
    from gough.kinematics.assembly import AssemblyModes, SelfMotion
    from gough.kinematics.forward.forward import ForwardKinematics
    from gough.kinematics.forward.kernel import Status
    from gough.kinematics.model import Model
    from gough.model.explicit_form import ExplicitForm, explicit_form
    from gough.poses import euler, pose, rotation
    from gough.robot import Body, Drive, Home, Leg, Platform, Robot, library_names, load, save
    from gough.simulation.simulate import simulate
    from gough.studies.comparison import Comparison
    from gough.studies.grid_results import GridResults
    from gough.studies.run import run
    from gough.studies.simulation_study import SimulationStudy
    from gough.studies.study import Study

_HOMES = {
    "AssemblyModes": "gough.kinematics.assembly",
    "Body": "gough.robot",
    "Comparison": "gough.studies.comparison",
    "Drive": "gough.robot",
    "ExplicitForm": "gough.model.explicit_form",
    "ForwardKinematics": "gough.kinematics.forward.forward",
    "GridResults": "gough.studies.grid_results",
    "Home": "gough.robot",
    "Kernel": "gough.compiler.native.kernel",
    "Leg": "gough.robot",
    "Model": "gough.kinematics.model",
    "Platform": "gough.robot",
    "Results": "gough.analysis.results",
    "Robot": "gough.robot",
    "SelfMotion": "gough.kinematics.assembly",
    "SimulationStudy": "gough.studies.simulation_study",
    "Status": "gough.kinematics.forward.kernel",
    "Study": "gough.studies.study",
    "euler": "gough.poses",
    "explicit_form": "gough.model.explicit_form",
    "library_names": "gough.robot",
    "load": "gough.robot",
    "pose": "gough.poses",
    "rotation": "gough.poses",
    "run": "gough.studies.run",
    "save": "gough.robot",
    "simulate": "gough.simulation.simulate",
}

__all__ = [
    "AssemblyModes",
    "Body",
    "Comparison",
    "CompilerError",
    "Drive",
    "ExplicitForm",
    "ForwardKinematics",
    "GoughError",
    "GridResults",
    "Home",
    "InputError",
    "Kernel",
    "KernelArgumentError",
    "Leg",
    "Model",
    "Platform",
    "Results",
    "Robot",
    "RobotError",
    "SelfMotion",
    "SimulationStudy",
    "SingularConfiguration",
    "Status",
    "Study",
    "__version__",
    "euler",
    "explicit_form",
    "library_names",
    "load",
    "pose",
    "poses",
    "rotation",
    "run",
    "save",
    "simulate",
]


def __getattr__(name: str) -> Any:
    if name == "poses":
        return import_module("gough.poses")
    if name not in _HOMES:
        raise AttributeError(f"module 'gough' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
