"""The LinuxCNC component of every library robot: built, loaded, and poses that come back.

Not part of the suite, as it takes minutes: `pytest tests/exchange/check_linuxcnc.py`.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import linuxcnc_kins
import numpy as np
import pytest
from linuxcnc_kins import Kins, built

import gough
from gough.exchange import export_machine

MM = 1000.0


@pytest.mark.parametrize("robot", gough.library_names())
def test_poses_near_home_come_back(robot, tmp_path_factory):
    folder = tmp_path_factory.getbasetemp() / "linuxcnc"
    robot = gough.load(robot)
    robot = robot.replace({"name": robot.name[:20]})  # longer ones have no room for pins
    path, *_ = export_machine(robot, folder, "linuxcnc")
    module, _ = built(path)
    kins = Kins(module, path.stem.replace("_", "-"))
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


MODULES = "/usr/lib/linuxcnc/modules"
RUN = f"""mount --bind modules {MODULES} &&
exec setpriv --reuid 65534 --regid 65534 --clear-groups timeout 100 linuxcnc -r delta.ini"""


@pytest.mark.skipif(os.geteuid() != 0, reason="its modules are in a folder of root")
def test_linuxcnc_runs_the_configuration_and_switches_kinematics(tmp_path):
    """LinuxCNC itself, with the component in a copy of its folder of modules."""
    robot = gough.load("delta")
    component, ini, *_ = export_machine(robot, tmp_path, "linuxcnc")
    module, _ = built(component)
    shutil.copytree(MODULES, tmp_path / "modules", ignore=shutil.ignore_patterns("linuxcnc"))
    shutil.copy(module, tmp_path / "modules")
    session = Path(linuxcnc_kins.__file__).with_name("linuxcnc_session.py")
    (tmp_path / "session.py").write_text(session.read_text())
    (tmp_path / "session.py").chmod(0o755)
    ini.write_text(ini.read_text().replace("DISPLAY = axis", "DISPLAY = ./session.py"))
    moves = ["G21 G90", "G0 X50 Y20 Z-1050", "M429", "G0 X10 Y12 Z14", "M428", "G0 X5000"]
    (tmp_path / "moves").write_text("\n".join(moves))
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o777)
    command, home = ["unshare", "-m", "bash", "-c", RUN], {"HOME": str(tmp_path)}
    done = subprocess.run(
        command, cwd=tmp_path, env=os.environ | home, capture_output=True, text=True, check=False
    )
    lines = (line.removeprefix("FOUND ") for line in done.stderr.splitlines() if "FOUND" in line)
    found = {entry["line"]: entry for entry in map(json.loads, lines)}
    assert [*found] == moves, done.stdout + done.stderr
    model = gough.Model(robot)

    def joints(axes):
        pose = gough.pose(np.array(axes[:3]) / MM, quaternion=robot.home[3:])
        return np.degrees(model.inverse_kinematics(pose))

    moved = found["G0 X50 Y20 Z-1050"]
    np.testing.assert_allclose(moved["axes"][:3], [50, 20, -1050], atol=1e-6)
    np.testing.assert_allclose(moved["joints"], joints([50, 20, -1050]), atol=1e-6)
    np.testing.assert_allclose(found["M429"]["axes"][:3], moved["joints"], atol=1e-6)
    np.testing.assert_allclose(found["G0 X10 Y12 Z14"]["joints"], [10, 12, 14], atol=1e-6)
    np.testing.assert_allclose(joints(found["M428"]["axes"]), [10, 12, 14], atol=1e-6)
    assert "kinematicsInverse" in found["G0 X5000"]["error"]
