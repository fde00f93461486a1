"""A robot's model: its kernels, and the algorithms of this room on them as methods."""

from __future__ import annotations

from typing import Any

from gough.kinematics.assembly.modes import AssemblyModes, assembly_modes
from gough.kinematics.forward.forward import ForwardKinematics, forward_kinematics
from gough.kinematics.singularity.singularity import Singularity, singularity
from gough.model.kernels import Kernels


class Model(Kernels):
    """A robot's equations, ready to run: `model.inverse_kinematics(pose)` and so on.

    Every kernel broadcasts over leading axes; `help(model.jacobian)` shows shapes, units and
    meaning. With `parametric=True` every kernel takes the robot's numbers as a first argument,
    one set for the whole batch or one per sample: `model.jacobian(model.parameters, pose)`.
    `formulation` says by which derivation the dynamics are made: "newton-euler", "lagrange",
    "virtual-work", "kane" or "recursive" give the same numbers, "point-mass-legs" approximates.
    """

    def forward_kinematics(self, q: Any, guess: Any = None, **options: Any) -> ForwardKinematics:
        """Poses at leg lengths q (..., 6) [m], found near a guess; with a status each.

        Options and results: see `gough.kinematics.forward.forward.forward_kinematics`.
        """
        return forward_kinematics(self, q, guess, **options)

    def assembly_modes(self, q: Any) -> AssemblyModes:
        """All poses at six leg lengths [m], with certificates.

        What exactly is proved: see `gough.kinematics.assembly`.
        """
        return assembly_modes(self, q)

    def singularity(self, pose: Any, *, characteristic_length: float | None = None) -> Singularity:
        """How near poses are to singularities, of which type, and which motion escapes control."""
        return singularity(self, pose, characteristic_length=characteristic_length)
