"""A robot's model: its kernels, and the algorithms of this room on them as methods.

An algorithm is imported when it is first used: most programs need few of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gough.arrays import Array
from gough.model.kernels import Kernels

if TYPE_CHECKING:
    from control import StateSpace

    from gough.compiler.native.kernel import Kernel
    from gough.kinematics.assembly.modes import AssemblyModes
    from gough.kinematics.capacity import WrenchCapacity
    from gough.kinematics.elastic.modes import Modes
    from gough.kinematics.forward.forward import ForwardKinematics
    from gough.kinematics.freedoms.possible import PossiblePose
    from gough.kinematics.singularity.singularity import Singularity
    from gough.kinematics.working_modes import WorkingModes
    from gough.kinematics.workspace.together import Together
    from gough.kinematics.workspace.travels import Travel
    from gough.model.mechanism.least import Reactions
    from gough.poses import Frames


class Model(Kernels):
    """A robot's equations, ready to run: `model.inverse_kinematics(pose)` and so on.

    Every kernel broadcasts over leading axes; `help(model.jacobian)` shows shapes, units and
    meaning. With `parametric=True` every kernel takes the robot's numbers as a first argument,
    one set for the whole batch or one per sample: `model.jacobian(model.parameters, pose)`. With
    names of numbers of the robot's file, such as `parametric=["leg.links[*].length"]`, it takes
    these alone, and all that is made of them changes with them: also the geometry.
    `formulation` says by which derivation the dynamics are made: "newton-euler", "lagrange",
    "virtual-work", "kane" or "recursive" give the same numbers, "point-mass-legs" approximates.
    """

    def forward_kinematics(self, q: Any, guess: Any = None, **options: Any) -> ForwardKinematics:
        """Poses at positions q (..., n) [m, rad], found near a guess; with a status each.

        Options and results: see `gough.kinematics.forward_kinematics`.
        """
        from gough.kinematics.forward.forward import forward_kinematics  # noqa: PLC0415

        return forward_kinematics(self, q, guess, **options)

    def possible_pose(self, pose: Any) -> PossiblePose:
        """The poses that the machine can take, with the coordinates of these in its moves."""
        from gough.kinematics.freedoms.possible import possible_pose  # noqa: PLC0415

        return possible_pose(self, pose)

    def gap(self, pose: Any) -> Array:
        """How far what the legs leave over is open at poses (...) [m, rad], to first order."""
        from gough.kinematics.freedoms.possible import gap  # noqa: PLC0415

        return gap(self, pose)

    def assembly_modes(self, q: Any) -> AssemblyModes:
        """All poses at given positions of the motors, of a hexapod leg lengths, with certificates.

        What exactly is proved: see `gough.kinematics.assembly`.
        """
        from gough.kinematics.assembly.modes import assembly_modes  # noqa: PLC0415

        return assembly_modes(self, q)

    def working_modes(self, pose: Any) -> WorkingModes:
        """All positions of the motors at a pose (7): one for each way in which legs can bend."""
        from gough.kinematics.working_modes import working_modes  # noqa: PLC0415

        return working_modes(self, pose)

    def least_reactions(
        self, pose: Any, twist: Any = None, acceleration: Any = None, wrench: Any = None
    ) -> Reactions:
        """Reactions as `reactions` gives them, with the least ones for those that are NaN there.

        Of all solutions that with the least sum of squares, moments over the machine's size: that
        of joints which all give way alike.
        """
        from gough.model.mechanism.least import least_reactions  # noqa: PLC0415

        return least_reactions(self, pose, twist, acceleration, wrench)

    def quantity(self, name: str) -> Kernel:
        """The kernel of one of the model's own, or of `condition`, `margins` or `clearance`.

        What these are: see `gough.kinematics.quantity`.
        """
        from gough.kinematics.quantities import quantity  # noqa: PLC0415

        return quantity(self, name)

    def singularity(self, pose: Any, **options: Any) -> Singularity:
        """How near poses are to singularities, of which type, and which motion escapes control.

        Options and results: see `gough.kinematics.singularity`.
        """
        from gough.kinematics.singularity.singularity import singularity  # noqa: PLC0415

        return singularity(self, pose, **options)

    def wrench_capacity(
        self,
        pose: Any,
        twist: Any = None,
        acceleration: Any = None,
        wrench: Any = None,
        *,
        max_force: Any = None,
    ) -> WrenchCapacity:
        """Which wrenches can act on the platform besides, within the largest forces.

        At rest, or during a motion under a wrench. Results: see `gough.kinematics.WrenchCapacity`.
        """
        from gough.kinematics.capacity import wrench_capacity  # noqa: PLC0415

        return wrench_capacity(self, pose, twist, acceleration, wrench, max_force=max_force)

    def modes(self, pose: Any = None, **options: Any) -> Modes:
        """How the machine vibrates on its legs that yield, at poses (..., 7), by default home.

        Options and results: see `gough.modes`.
        """
        from gough.kinematics.elastic.modes import modes  # noqa: PLC0415

        return modes(self.own_robot("modes"), pose, **options)

    def frequencies(self, pose: Any, **options: Any) -> Array:
        """Natural frequencies (..., n) [Hz] at poses, quickly: see `gough.kinematics.frequencies`.

        Those of `modes`, without the shapes, for maps of many poses.
        """
        from gough.kinematics.elastic.modes import frequencies  # noqa: PLC0415

        return frequencies(self, pose, **options)

    def travel(
        self, pose: Any = None, *, frames: Frames | None = None, **options: Any
    ) -> list[Travel]:
        """How far the platform goes from a pose (7), by default home, along each freedom alone.

        With frames the tool goes along and about the axes of the work frame instead. Options and
        results: see `gough.kinematics.travel`.
        """
        from gough.kinematics.workspace.travels import travel  # noqa: PLC0415

        return travel(self, pose, frames=frames, **options)

    def reach_together(
        self, position: Any = (0.0, 0.0, 0.0), rotation: Any = (0.0, 0.0, 0.0), **options: Any
    ) -> Together:
        """Whether the platform reaches ± `position` [m] with ± `rotation` [rad], all together.

        Options and results: see `gough.kinematics.reach_together`.
        """
        from gough.kinematics.workspace.together import reach_together  # noqa: PLC0415

        return reach_together(self, position, rotation, **options)

    def state_space(
        self, pose: Any, twist: Any = None, force: Any = None, wrench: Any = None
    ) -> StateSpace:
        """The machine near a state (7) as a linear system of python-control, with named signals.

        From the actuators' forces to the platform's freedoms and the actuators' positions; left
        out, it is at rest under the forces that hold it. See `gough.kinematics.state_space`.
        """
        from gough.kinematics.state_space import state_space  # noqa: PLC0415

        return state_space(self, pose, twist, force, wrench)

    def elastic_state_space(self, pose: Any = None, **options: Any) -> StateSpace:
        """The machine on its legs that yield as a linear system of python-control, at a pose (7).

        From actuators, wrench and base to the platform and the legs. Options, signals and units:
        see `gough.elastic_state_space`.
        """
        from gough.kinematics.elastic.state_space import elastic_state_space  # noqa: PLC0415

        return elastic_state_space(self.own_robot("a state space"), pose, **options)
