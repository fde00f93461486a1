"""The LinuxCNC component of every library robot: built, loaded, and poses that come back.

Not part of the suite, as it takes minutes: `pytest tests/exchange/check_linuxcnc.py`.
"""

import numpy as np
import pytest
from linuxcnc_kins import Kins, built

import gough
from gough.exchange import export_linuxcnc

MM = 1000.0


@pytest.mark.parametrize("robot", gough.library_names())
def test_poses_near_home_come_back(robot, tmp_path_factory):
    folder = tmp_path_factory.getbasetemp() / "linuxcnc"
    robot = gough.load(robot)
    robot = robot.replace({"name": robot.name[:20]})  # longer ones have no room for pins
    (path,) = export_linuxcnc(robot, folder)
    module, _ = built(path)
    kins = Kins(module, path.stem.replace("_", "-"), str(folder))
    (words,) = (s for s in path.read_text().splitlines() if "COORDINATES" in s)
    has = np.array([axis in words.split("=")[1] for axis in "XYZABC"])
    home = np.zeros(6)
    home[:3] = MM * np.array(robot.home[:3])
    home[3:] = gough.rotation(np.array(robot.home)).as_euler("xyz", degrees=True)
    last = home = np.where(has, home, 0.0)
    for phase in np.linspace(0, 2 * np.pi, 200):
        world = home + has * ([10.0] * 3 + [2.0] * 3) * np.sin(phase * np.arange(1, 7))
        joints = kins.inverse(world)
        count = len(robot.actuators)
        assert np.isfinite(joints[:count]).all()
        assert np.isnan(joints[count:]).all()
        last, code = kins.forward(joints, last)
        assert code == 0
        np.testing.assert_allclose(last, world, atol=1e-7)
