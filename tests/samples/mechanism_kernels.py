"""Kernels of a machine of any kind; single states are evaluated without the compiler.

Most tests ask for one state of many machines: compiling each kernel would take most of the time.
Legs that iterate, and batches, need the compiler.
"""

from collections import namedtuple
from functools import cache, cached_property

import casadi as ca
import numpy as np

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.kernel import Kernel
from gough.equations.closure import assembled
from gough.model.definition import POSE, define
from gough.model.kernel_table import kernel_table
from gough.model.mechanism import analysed
from gough.model.structure import structure_of


class Kernels:
    """What the equations of a machine say, as functions of arrays."""

    def __init__(self, mechanism):
        self.mechanism = mechanism
        self.analysis = analysed(mechanism)
        self.machine = self.analysis.machine
        self.motors, self.freedoms = len(self.machine.motors), self.machine.freedom.S.shape[0]

    def __getattr__(self, name):
        if name.startswith("_") or name not in self._definitions:
            raise AttributeError(name)
        iterated = any(leg.iterated for leg in self.machine.legs)
        kernel = (Kernel if iterated else Interpreted)(self.function(name))
        self.__dict__[name] = kernel
        return kernel

    def function(self, name):
        d = self._definitions[name]
        return Function.from_equation(
            name, lambda *x: d.equation(self.machine, *x), d.inputs, d.outputs
        )

    @cached_property
    def _definitions(self):
        """Those of the catalogue, and what vanishes in singularities as it is, not by size."""
        legs, n = self.machine.legs, self.freedoms
        serial = sum(bool(leg.plan.driven) for leg in legs)
        passive = sum(len(leg.plan.stages) for leg in legs)
        raw = {
            "constraint_matrix": Argument("K", (6 - n, 6 - n)),
            "passive_pivots": Argument("pivots", (passive,)),
            "serial_pivots": Argument("pivots", (serial,)),
        }
        return kernel_table(structure_of(self.mechanism), "recursive") | {
            name: define(RAW[name], (POSE,), output) for name, output in raw.items()
        }


def serial_pivots(machine, pose):
    """One for each leg with motors: the determinant of what its driven rows see of them."""
    legs = assembled.assembled(machine, pose).legs
    return ca.vertcat(*(leg.rows.pivots()[0] for leg in legs if leg.leg.plan.driven))


def passive_pivots(machine, pose):
    """One for each group of passive joints, leg by leg: its determinant."""
    legs = assembled.assembled(machine, pose).legs
    pivots = (leg.rows.pivots()[1 if leg.leg.plan.driven else 0 :] for leg in legs)
    return ca.vertcat(*(pivot for some in pivots for pivot in some))


def constraint_matrix(machine, pose):
    """What the rows left over see of what the moves leave out."""
    return assembled.assembled(machine, pose).constraint_matrix


RAW = {
    "serial_pivots": serial_pivots,
    "passive_pivots": passive_pivots,
    "constraint_matrix": constraint_matrix,
}


class Interpreted:
    """A function of one state; a batch is compiled."""

    def __init__(self, function):
        self.function = function
        names = [output.name for output in function.outputs]
        self._result = namedtuple(function.name, names) if len(names) > 1 else None

    def __call__(self, *given):
        inputs = self.function.inputs
        arrays = [np.asarray(x, dtype=float) for x in given]
        arrays += [np.zeros(a.shape) for a in inputs[len(arrays) :]]
        if any(x.ndim > len(a.shape) for x, a in zip(arrays, inputs, strict=True)):
            return self._compiled(*arrays)
        found = self.function.casadi.call([x.ravel() for x in arrays])
        pairs = zip(found, self.function.outputs, strict=True)
        shaped = [np.array(x).reshape(a.shape) for x, a in pairs]
        return self._result(*shaped) if self._result else shaped[0]

    @cached_property
    def program(self):
        return self._compiled.program

    @cached_property
    def _compiled(self):
        return Kernel(self.function)


@cache
def kernels(mechanism):
    return Kernels(mechanism)
