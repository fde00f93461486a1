"""Kinematics of LinuxCNC in Python: modules loaded under a stub of its HAL."""

import ctypes
import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

HALCOMPILE = shutil.which("halcompile")
GENHEXKINS = Path("/usr/lib/linuxcnc/modules/genhexkins.so")
POINTER = ctypes.POINTER(ctypes.c_double)


def built(component):
    """The module of a .comp file, by LinuxCNC's own compiler; with what that said."""
    said = subprocess.run(
        [HALCOMPILE, "--compile", component.name],
        cwd=component.parent, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return component.with_suffix(".so"), said.stdout + said.stderr


@cache
def _stub():
    """One for all modules of a process, which find the functions of the first that was loaded."""
    with TemporaryDirectory() as folder:
        library, source = Path(folder) / "hal_stub.so", Path(__file__).with_name("hal_stub.c")
        command = ["cc", "-O0", "-shared", "-fPIC", str(source), "-o", str(library)]
        subprocess.run(command, check=True)
        stub = ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
    stub.stub_pin.restype = ctypes.c_void_p
    return stub


class Kins:
    """A module with its pins. Poses are X Y Z A B C [machine units, deg]."""

    def __init__(self, module, prefix):
        self._stub = _stub()
        self._first = self._stub.stub_count()  # of its pins
        self._module, self._prefix = ctypes.CDLL(str(module)), prefix
        assert self._module.rtapi_app_main() == 0
        self._flags = ctypes.byref(ctypes.c_ulong())

    def pin(self, name, kind=ctypes.c_double):
        place = self._stub.stub_pin(f"{self._prefix}.{name}".encode(), self._first)
        assert place, f"no pin {self._prefix}.{name}"
        return kind.from_address(place)

    def set_joints(self, base, platform):
        """Joint centres of a hexapod [machine units]."""
        for end, points in (("base", base), ("platform", platform)):
            for leg, point in enumerate(points):
                for axis, x in zip("xyz", point, strict=True):
                    self.pin(f"{end}.{leg}.{axis}").value = x

    def inverse(self, world):
        """Positions of the joints, NaN if the module says that there are none."""
        full, joints = np.zeros(9), np.full(16, np.nan)
        full[:6] = world
        self._module.kinematicsInverse(_of(full), _of(joints), self._flags, self._flags)
        return joints

    def forward(self, joints, last):
        """The pose near the last one, and what the module returned."""
        full = np.zeros(9)
        full[:6] = last
        code = self._module.kinematicsForward(_of(joints), _of(full), self._flags, self._flags)
        return full[:6], code

    @property
    def switchable(self):
        return bool(self._module.kinematicsSwitchable())

    def switch(self, kind):
        return self._module.kinematicsSwitch(kind)

    @property
    def last_iterations(self):
        return self.pin("last-iterations", ctypes.c_uint32).value


def _of(array):
    return array.ctypes.data_as(POINTER)
