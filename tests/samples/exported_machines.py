"""Machines to be exported, and how Pinocchio reads them back from the files of each format."""

import numpy as np
import pinocchio as pin
import yaml
from drawn_machines import MACHINES, turned
from oracles.pinocchio_loops import Closure, PinocchioLoops, Spin

import gough
from gough.exchange import machine_export
from gough.robot import Hexapod

LIBRARY = ["demo-hexapod", "bingul-2012", "dietmaier-1998", "delta", "orthoglide", "planar-3rrr"]
CHANGED = ["hexapod on balls", "a leg nearly along x"]
DRAWN = ["3-UPU", "6-SPU", "6-RCS", "four-bar", "turned 3-RRR"]
EXPORTED = LIBRARY + CHANGED + DRAWN


def machine(name):
    """Return a machine of the library, or one drawn for tests, perhaps in another direction."""
    if name in LIBRARY:
        return gough.load(name)
    if name in CHANGED:
        return changed_hexapod(name)
    plain = MACHINES[name.removeprefix("turned ")](1)
    return turned(plain, 2) if name.startswith("turned") else plain


def changed_hexapod(name):
    """Return one with legs between two balls, or one on its side, with a leg that is 1 nm off x."""
    data = gough.load("demo-hexapod").to_dict()
    data["leg"]["cylinder"]["inertia"] = [0.32, 0.32, 0.021]
    if name == "hexapod on balls":
        data["leg"]["kind"] = "SPS"
        data["legs"] = [{key: leg[key] for key in ("base", "platform")} for leg in data["legs"]]
    else:
        data["platform"]["home"] = {"position": [0.96, 0, 0], "rpy": [0, "90 deg", 0]}
        del data["leg"]["stroke"]
        data["legs"][1] |= {"platform": [-0.3, 0.4, 0], "base": [0, 0.4, 0.3 + 1e-9]}
    return gough.robot.Robot.from_dict(data)


def random_hexapod(seed, kind):
    """Return one whose joints, axes, home and mass centre are moved at random, all legs askew."""
    rng, data = np.random.default_rng(seed), gough.load("demo-hexapod").to_dict()
    data["leg"] |= {"kind": kind}
    del data["leg"]["stroke"]
    data["leg"]["cylinder"]["inertia"] = [0.32, 0.32, 0.021]
    for leg in data["legs"]:
        for end in ("base", "platform"):
            leg[end] = (np.array(leg[end]) + rng.uniform(-0.08, 0.08, 3)).tolist()
        leg.pop("first_axis", None)
        if kind == "UPS":
            leg["first_axis"] = rng.normal(size=3).tolist()
    tilt = [f"{angle} deg" for angle in rng.uniform(-12, 12, 3)]
    data["platform"]["home"] = {"position": [0.05, -0.02, 0.98], "rpy": tilt}
    data["platform"]["center_of_mass"] = rng.uniform(-0.1, 0.1, 3).tolist()
    return gough.robot.Robot.from_dict(data)


def motors(robot):
    """Return the names of what the tree has a motor at."""
    if isinstance(robot, Hexapod):
        return [f"slide-{k}" for k in range(1, len(robot.legs) + 1)]
    return [joint.name for joint in robot.driven]


def spins(robot):
    """Return what turns about its own line unnoticed: legs and rods between two balls."""
    if isinstance(robot, Hexapod):
        balls = [k for k, leg in enumerate(robot.legs, 1) if leg.kind == "SPS"]
        return [Spin(f"cylinder-{k}", np.array([0.0, 0.0, 1.0])) for k in balls]
    found = []
    for body in robot.bodies:
        joints = [joint for joint in robot.joints if body.name in joint.between]
        if [joint.type for joint in joints] == ["S", "S"]:
            line = np.subtract(joints[1].at, joints[0].at)
            found.append(Spin(body.name, line / np.linalg.norm(line)))
    return found


def from_mjcf(robot, folder):
    """Return what Pinocchio reads of MJCF, which leaves gravity to whoever asks."""
    path = folder / "machine.xml"
    path.write_text(machine_export(robot, "mjcf").text, encoding="utf-8")
    model, points, frames, *_ = pin.buildModelAndConstraintsFromMJCF(str(path))
    closures = [_closure(c, False) for c in points] + [_closure(c, True) for c in frames]
    return _loops(robot, model, closures, model.referenceConfigurations["home"])


def from_urdf(robot):
    """Return what Pinocchio reads of URDF, with the loops of the file beside it."""
    tree, closing = machine_export(robot, "urdf").texts.values()
    model, said = pin.buildModelFromXML(tree), yaml.safe_load(closing)
    pairs = zip(said["closed_loop"], said["type"], strict=True)
    closures = [frames_meet(model, names, kind == "6d") for names, kind in pairs]
    assert said["name_mot"] == motors(robot)
    return _loops(robot, model, closures, None)


def frames_meet(model, names, welded):
    """Return the closure of two frames of a model."""
    frames = [model.frames[model.getFrameId(name)] for name in names]
    joints, places = ([f.parentJoint for f in frames], [f.placement for f in frames])
    return Closure(tuple(joints), tuple(places), welded)


def _closure(read, welded):
    joints, places = (
        (read.joint1_id, read.joint2_id),
        (read.joint1_placement, read.joint2_placement),
    )
    return Closure(joints, places, welded)


def _loops(robot, model, closures, home):
    model.gravity.linear = np.array(robot.gravity)
    model.armature[:] = 0.0  # efforts are those of joints, not of motors behind them
    driven = [model.joints[model.getJointId(name)].idx_v for name in motors(robot)]
    return PinocchioLoops(model, closures, driven, "platform", spins(robot), home)


def assert_efforts_agree(robot, oracle, states=3):
    """Hold the efforts of a tree with loops against the library's, in motion and under load."""
    inverse_dynamics, rng = gough.Model(robot).inverse_dynamics, np.random.default_rng(0)
    assert oracle.gap() < 1e-14
    for _ in range(states):
        state, wrench = oracle.random_state(rng, 0.05), rng.normal(size=6)
        ours = inverse_dynamics(state.pose, state.twist, state.acceleration, wrench)
        theirs = oracle.efforts(state, wrench)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9 * np.abs(theirs).max())
