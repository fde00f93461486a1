"""A robot's kernels by name, each traced and compiled when it is first used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.compiler import Argument, Function, Kernel, compiled, kernel_of, remembered
from gough.display import Table, card
from gough.errors import GoughError, KernelArgumentError, SingularConfiguration, nearest
from gough.model import catalogue
from gough.model.definition import POSE, Definition
from gough.model.machines import Machines, Parametric, checked_parametric
from gough.model.standard import standard_names
from gough.model.structure import Structure, structure_of
from gough.poses.given import check_quaternions, finite
from gough.robot import Mechanism, Robot, matching

if TYPE_CHECKING:
    from gough.equations.machine import Machine
    from gough.equations.spatial.algebra import Value

SeveralOutputs = Kernel[Any]  # a kernel with several outputs: it returns a named tuple
_OWN = ("robot", "parametric", "branch", "formulation", "moving_base")  # attributes of every model


class JointReactions(NamedTuple):
    """Forces [N] and moments [N m] (n, 3) of each joint's first body on its second, own axes."""

    force: Array
    moment: Array


class Kernels:
    """A robot's equations, compiled when they are first used: the kernels of a `Model`.

    `help` shows the fields of those with several outputs.
    """

    inverse_kinematics: Kernel
    readings: Kernel
    positions: Kernel
    jacobian: Kernel
    jacobian_rate: Kernel
    is_singular: Kernel
    serial_pivots: Kernel
    passive_pivots: Kernel
    constraint_pivot: Kernel
    twist_basis: Kernel
    singular_legs: Kernel
    universal_joint_sines: Kernel
    joint_velocity: Kernel
    joint_acceleration: Kernel
    leg_angular_velocity: Kernel
    leg_angular_acceleration: Kernel
    leg_spin: Kernel
    leg_form: SeveralOutputs
    limb_matrices: SeveralOutputs
    mass_center_position: Kernel
    mass_center_velocity: Kernel
    mass_center_acceleration: Kernel
    inverse_dynamics: Kernel
    actuator_force: Kernel
    joint_wrench: Kernel
    spring_energy: Kernel
    forward_dynamics: Kernel
    mass_matrix: Kernel
    coriolis_matrix: Kernel
    gravity: Kernel
    bias: Kernel
    joint_mass_matrix: Kernel
    joint_coriolis_matrix: Kernel
    joint_gravity: Kernel
    actuator_power: Kernel
    motor_demand: SeveralOutputs
    motor_matrices: SeveralOutputs
    reactions: Kernel[JointReactions]
    base_wrench: Kernel
    linearize: SeveralOutputs
    stiffness: Kernel
    compliance: Kernel
    deflection: Kernel
    vibration: SeveralOutputs
    energy: Kernel
    momentum: Kernel
    force_parts: SeveralOutputs
    regressor: Kernel
    force_decomposition: SeveralOutputs
    wrench_decomposition: SeveralOutputs
    actuation_matrix: Kernel
    admissible: Kernel
    all_joints: SeveralOutputs
    branch_of: SeveralOutputs
    all_reactions: Kernel[JointReactions]
    joint_centers: Kernel
    joint_tilts: Kernel
    reaction_axes: SeveralOutputs
    coupling_efforts: Kernel
    body_frames: Kernel
    body_jacobians: Kernel
    wrench_margin: Kernel
    load_range: Kernel
    crossing_residual: Kernel
    crossing_share: Kernel
    crossing_forces: Kernel

    def __init__(
        self,
        robot: Robot,
        *,
        formulation: str | None = None,
        parametric: Parametric = False,
        branch: bool | Sequence[int] = False,
        moving_base: bool = False,
    ) -> None:
        if not isinstance(robot, Robot):
            raise GoughError(f"a model needs a Robot, such as gough.load(...); got {robot!r:.80}")
        if not isinstance(branch, bool):
            if not isinstance(robot, Mechanism):
                raise GoughError(f"{robot.name} has one branch; expected a model without branch")
            robot = robot.replace(branch=np.asarray(branch).tolist())
            structure_of(robot)  # a branch that it does not have is refused
        self.robot, self.parametric = robot, checked_parametric(parametric)
        self.branch = branch is True
        if not isinstance(moving_base, bool):
            raise GoughError(f"moving_base is {moving_base!r:.80}; expected True or False")
        self.moving_base = moving_base
        self.formulation = catalogue.chosen_formulation(robot, formulation, moving_base=moving_base)

    @property
    def structure(self) -> Structure:
        """The robot without its numbers: legs, joints, actuators, degrees of freedom."""
        return self.machines.structure

    @cached_property
    def machines(self) -> Machines:
        """Machines for which the kernels are compiled."""
        return Machines(self.robot, parametric=self.parametric, branch=self.branch)

    @cached_property
    def parameters(self) -> Array:
        """The robot's own numbers, as parametric kernels take them."""
        return self.machines.values.copy()

    @cached_property
    def parameter_names(self) -> list[str]:
        """Names of the parameters, such as `legs[2].cylinder.mass`."""
        return self.machines.names

    @cached_property
    def standard_names(self) -> list[str]:
        """Names of the regressor's columns, such as `legs[2].piston.first_moment`."""
        return standard_names(self.structure)

    @property
    def kernel_names(self) -> list[str]:
        """Names of all kernels of this machine."""
        return list(self._definitions)

    def function(self, name: str) -> Function:
        """The symbolic function behind a kernel: for derivatives, export, or use in others."""
        self._check_name(name)
        return _function(self.machines, self.formulation, name)

    def derivative(self, name: str, wrt: str | Sequence[str]) -> Kernel:
        """Exact partial derivatives of a kernel's output with respect to one of its inputs.

        The result has the output's axes followed by the input's. Of a parametric model `wrt` may
        also be a list of names and patterns of parameters, such as `["legs[*].base",
        "platform.mass"]`: the last axis has one column for each of `matching_parameters(wrt)`.
        """
        self._check_name(name)
        definition = self._definitions[name]
        if len(definition.outputs) > 1:
            raise GoughError(f"{name} has several outputs; use function({name!r}).jacobian(...)")
        inputs = [argument.name for argument in (*self.machines.numbers, *definition.inputs)]
        if self.parametric and isinstance(wrt, list | tuple):
            chosen = tuple(map(self.parameter_names.index, self.matching_parameters(wrt)))
            return _derivative(self.machines, self.formulation, name, "parameters", chosen)
        if not isinstance(wrt, str) or wrt not in inputs:
            raise GoughError(f"{name} has no input {wrt!r}; expected one of {', '.join(inputs)}")
        return _derivative(self.machines, self.formulation, name, wrt, None)

    def matching_parameters(self, patterns: Sequence[str]) -> list[str]:
        """The names of parameters that patterns mean, pattern by pattern.

        `*` stands for anything between two brackets or dots, and what is named stands for all that
        it has: `legs[*].base` is the coordinates of all base joints.
        """
        return matching(self.parameter_names, patterns)

    def checked_inverse_dynamics(
        self,
        pose: ArrayLike,
        twist: ArrayLike | None = None,
        acceleration: ArrayLike | None = None,
        wrench: ArrayLike | None = None,
        *,
        base: Sequence[ArrayLike] = (),
        **inputs: ArrayLike | None,
    ) -> Array:
        """Actuator forces as `inverse_dynamics` gives them, or SingularConfiguration.

        The plain kernel gives NaN for a singular pose, so that a batch goes on. `base` are pose,
        twist and acceleration of a moving base; `inputs` those of all kernels, `parameters` or
        `branch`: the robot's own if left out.
        """
        if len(base) != 3 * self.moving_base:
            expected = "pose, twist and acceleration of the base" if self.moving_base else "none"
            raise GoughError(f"base is {base!r:.80}; expected {expected}")
        numbers = self.numbers(**inputs)
        given = [np.zeros(6) if x is None else x for x in (twist, acceleration, wrench)]
        carried = [finite(x, f"base[{k}]", 6 if k else 7) for k, x in enumerate(base)]
        for at in carried[:1]:
            check_quaternions(at[..., 3:])
        force: Array = self.inverse_dynamics(*numbers, *carried, pose, *given)
        batch = force.shape[:-1]
        states = [np.broadcast_to(x, (*batch, np.shape(x)[-1])) for x in (*numbers, pose)]
        unknown = np.any([np.isnan(x).any(axis=-1) for x in states], axis=0)
        singular = np.argwhere((self.is_singular(*states) != 0) | unknown)
        if len(singular):
            index = tuple(int(k) for k in singular[0])
            state, where = [np.array(x[index], dtype=float) for x in states], [*index] or ""
            if not (np.isfinite(state[-1]).all() and state[-1][3:].any()):
                expected = "finite numbers and a quaternion that is not zero"
                raise GoughError(f"pose{where} is {state[-1].tolist()}; expected {expected}")
            if np.isnan(np.concatenate(state)).any():
                named = " and ".join(self.machines.own)
                raise GoughError(f"{named}{where} are no numbers; expected those of a robot")
            raise self._singular_configuration(index, state)
        return force

    def numbers(self, **given: ArrayLike | None) -> list[Array]:
        """Return the first inputs of kernels (..., n), `parameters` or `branch`, or their own."""
        own = self.machines.own
        for name in (name for name, x in given.items() if x is not None and name not in own):
            how = {"parameters": "parametric=True"}.get(name, f"{name}=True")
            instead = f"this model has constants in place of {name}"
            raise GoughError(f"{instead}; make it with {how}")
        found = []
        for name, default in own.items():
            value = given.get(name)
            found.append(default.copy() if value is None else np.asarray(value, dtype=float))
            if found[-1].shape[-1:] != default.shape:
                problem = f"argument {name!r} has shape {found[-1].shape}"
                raise KernelArgumentError(f"{problem}; expected (..., {len(default)})")
        return found

    def made(self, parameters: ArrayLike) -> Robot:
        """The robot of other parameters (n); RobotError if there cannot be one."""
        numbers, *_ = [*self.numbers(parameters=parameters), np.empty(0)]
        if not self.parametric or numbers.ndim != 1:
            raise GoughError(
                f"a robot is made of one set of parameters of a parametric model; got shape "
                f"{np.shape(parameters)}"
            )
        return self.machines.made(numbers)

    def own_robot(self, purpose: str, *, of_forces: bool = False) -> Robot:
        """The robot, for what knows no parameters and, if `of_forces`, no moving base.

        GoughError if this model has them.
        """
        if self.parametric or (of_forces and self.moving_base):
            about = ("one robot", "takes parameters")
            if not self.parametric:
                about = ("a base at rest", "is of a moving base")
            raise GoughError(
                f"{purpose} is about {about[0]}, and this model {about[1]}; expected "
                "gough.Model(robot) of the robot that is meant"
            )
        if self.branch:
            raise GoughError(
                f"{purpose} is about one branch, and this model takes all as an input; expected "
                "gough.Model(robot, branch=[...]) of the branch that is meant"
            )
        return self.robot

    def _singular_configuration(self, index: tuple[int, ...], state: list[Array]) -> Exception:
        """The error at a singular state, parameters first if there are some."""
        pose = tuple(map(float, state[-1]))
        J = self.actuation_matrix(*state)
        condition = float(np.linalg.cond(J)) if np.isfinite(J).all() else np.inf
        if not self.structure.extensible:
            kind, name = self._singular_part(self.structure, state)
            return SingularConfiguration(pose, condition, index, kind, name=name)
        kinds = ("actuators", "universal joint", "leg length")
        found = np.nan_to_num(self.singular_legs(*state), nan=2).astype(int)  # NaN: out of range
        legs = ((kinds[x], k) for k, x in enumerate(found, 1) if x)
        kind, leg = next(legs, ("actuators", None))
        return SingularConfiguration(pose, condition, index, kind, leg)

    def _singular_part(self, structure: Structure, state: list[Array]) -> tuple[str, str]:
        """The kind of a singular state, and the joints that it is about: the worst of them."""
        from gough.equations.legs.closure import SINGULAR  # noqa: PLC0415  (slow)

        if not np.isfinite(self.inverse_kinematics(*state)).all():
            return _why_off_branch(self.machines, state), ""
        for kind, kernel, names, bound in (
            ("motors", "serial_pivots", structure.motor_legs, SINGULAR),
            ("passive joints", "passive_pivots", structure.passive_groups, SINGULAR**0.5),
        ):
            pivots = np.abs(getattr(self, kernel)(*state)) if names else np.ones(1)
            if (pivots <= bound).any():
                return kind, names[int(np.nanargmin(pivots))]
        unheld = float(self.constraint_pivot(*state)) <= SINGULAR
        return ("constraint" if unheld else "actuators"), ""

    def __getattr__(self, name: str) -> Kernel:
        if name in _OWN or hasattr(type(self), name):  # else what fails inside is asked for again
            object.__getattribute__(self, name)
        if name.startswith("_"):
            raise AttributeError(f"a model has no attribute {name!r}")
        try:
            kernel = kernel_of(_function, self.machines, self.formulation, name)
        except catalogue.NoSuchKernelError:
            raise AttributeError(self._unknown(name)) from None
        self.__dict__[name] = kernel  # found without __getattr__ from now on
        return kernel

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._definitions})

    def __repr__(self) -> str:
        kind = "parametric model" if self.parametric else "model"
        return f"<gough {kind} of {', '.join([self.robot.name, *self._special])}>"

    @property
    def _special(self) -> list[str]:
        """Words on its branch, if it is not that of the home configuration, and its base."""
        own = getattr(self.robot, "branch", None)
        words = ["every branch"] if self.branch else [f"branch {list(own)}"] if own else []
        return [*words, "moving base"] if self.moving_base else words

    def _repr_html_(self) -> str:
        parametric = "the robot's numbers, first" if self.parametric else ""
        rows = [
            ("structure", str(self.structure), ""),
            ("formulation", self.formulation, ""),
            ("parameters", parametric, ""),
            ("of", ", ".join(self._special), ""),
        ]
        listed = f"{len(self._definitions)} kernels", ", ".join(self._definitions)
        return card(self.robot.name, "model", Table.properties("", rows), folded=listed)

    def __reduce__(self) -> tuple[object, ...]:  # other processes have kernels from the cache
        named = None if self.moving_base else self.formulation
        of = partial(type(self), parametric=self.parametric, moving_base=self.moving_base)
        return partial(of, formulation=named, branch=self.branch), (self.robot,)

    @cached_property
    def _definitions(self) -> Mapping[str, Definition]:
        return catalogue.definitions(self.structure, self.formulation)

    def _check_name(self, name: object) -> None:
        if not isinstance(name, str) or name not in self._definitions:
            raise GoughError(self._unknown(str(name)))

    def _unknown(self, name: str) -> str:
        """Say why there is no such kernel, and which there are."""
        if absent := catalogue.why_absent(self.structure, self.formulation, name):
            return absent
        own = [key for key in dir(type(self)) if not key.startswith("_")]
        problem = f"a model has no kernel {name!r}"
        if name in own:
            problem = f"{name} belongs to a model, but is not a kernel"
        elif near := nearest(name, [*self._definitions, *own]):
            return f"{problem}; did you mean {near}?"
        listed = ", ".join(self._definitions)
        return f"{problem}; kernels, which can be exported as forward_kinematics can, are {listed}"


def _why_off_branch(machines: Machines, state: list[Array]) -> str:
    """The kind of error at a pose for which a mechanism's kernels have no number."""
    gap, between = _branch_tests(machines)(*state)
    if not between:
        return "change point"
    return "reach" if np.isnan(gap) or not gap else "loops"


@compiled
def _branch_tests(machines: Machines) -> Kernel:
    from gough.equations.closure import closing  # noqa: PLC0415  (slow)

    def tests(machine: Machine, pose: Value) -> tuple[Value, Value]:
        return closing.squared_gap(machine, pose), closing.is_between_change_points(machine, pose)

    return machines.kernel("branch_tests", tests, (POSE,), (Argument("gap"), Argument("between")))


@remembered
def _function(machines: Machines, formulation: str, name: str) -> Function:
    found = catalogue.definition_of(machines.structure, formulation, name)
    return machines.function(name, found.equation, found.inputs, found.outputs, found.doc)


@compiled
def _derivative(
    machines: Machines, formulation: str, name: str, wrt: str, chosen: tuple[int, ...] | None
) -> Kernel:
    function = _function(machines, formulation, name)
    return Kernel(function.jacobian(function.outputs[0].name, wrt, chosen))


def kernels_of(robot: Robot | Kernels) -> Kernels:
    """Return the kernels of a robot, or those that are given."""
    return robot if isinstance(robot, Kernels) else Kernels(robot)
