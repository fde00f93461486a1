"""FMUs as fmpy opens them: variables by name, whichever version of FMI they are of."""

import ctypes

import numpy as np
from fmpy import extract, read_model_description
from fmpy.simulation import instantiate_fmu

POSE = ["pose.x", "pose.y", "pose.z", "pose.qw", "pose.qx", "pose.qy", "pose.qz"]
LAST_TIME, TERMINATED = 2, 3
"""What FMI 2.0 can be asked of a step."""


class Opened:
    """One instance of an FMU, and what it has logged."""

    def __init__(self, path, kind="CoSimulation"):
        self.description = read_model_description(str(path))
        self.variables = {v.name: v for v in self.description.modelVariables}
        self.messages = []
        self.fmu = instantiate_fmu(
            extract(str(path)),
            self.description,
            kind,
            logger=lambda *a: self.messages.append(a[-1]),
        )
        self.fmi = int(self.description.fmiVersion[0])

    def begin(self, **values):
        if self.fmi == 2:
            self.fmu.setupExperiment(startTime=0.0)
        self.fmu.enterInitializationMode()
        self.set(values)
        self.fmu.exitInitializationMode()
        return self

    def starting(self, prefix):
        return [name for name in self.variables if name.startswith(prefix)]

    def reference(self, name):
        return self.variables[name].valueReference

    def get(self, names):
        places = [self.reference(name) for name in names]
        return np.array((self.fmu.getReal if self.fmi == 2 else self.fmu.getFloat64)(places))

    def set(self, values):
        self.put([self.reference(name) for name in values], list(values.values()))

    def put(self, places, values):
        (self.fmu.setReal if self.fmi == 2 else self.fmu.setFloat64)(places, values)

    def step(self, time, size):
        return self.fmu.doStep(time, size)

    def ended(self):
        """Of FMI 2.0, after a step that was discarded: whether the run is over, and when."""
        over, time = ctypes.c_int(), ctypes.c_double()
        component = self.fmu.component
        self.fmu.fmi2GetBooleanStatus(component, TERMINATED, ctypes.byref(over))
        self.fmu.fmi2GetRealStatus(component, LAST_TIME, ctypes.byref(time))
        return bool(over.value), time.value

    @property
    def words(self):
        """What was logged last."""
        last = self.messages[-1]
        return last.decode() if isinstance(last, bytes) else last

    def close(self):
        self.fmu.terminate()
        self.fmu.freeInstance()
