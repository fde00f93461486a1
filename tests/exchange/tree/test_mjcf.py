"""Machines as MJCF: Pinocchio finds our efforts in the file, MuJoCo our energies and motions."""

import xml.etree.ElementTree as ET

import mujoco
import numpy as np
import pytest
from exported_machines import EXPORTED, assert_efforts_agree, from_mjcf, machine, motors

import gough
from gough.exchange import machine_export

SIMULATED = ["demo-hexapod", "delta", "orthoglide"]
SOFTNESS = 1e-4 / 0.9999  # (1 - d)/d at the largest impedance that MuJoCo allows


def mujoco_model(robot):
    model = mujoco.MjModel.from_xml_string(machine_export(robot, "mjcf").text)
    model.dof_armature[:] = 0.0  # efforts are those of joints, not of motors behind them
    return model, mujoco.MjData(model)


def placed(model, data, state):
    """Bring MuJoCo's machine into a state of Pinocchio's, which writes quaternions w last."""
    data.qpos[:], data.qvel[:] = state.q, state.v
    balls = model.jnt_qposadr[model.jnt_type == mujoco.mjtJoint.mjJNT_BALL]
    for k in balls:
        data.qpos[k : k + 4] = np.roll(state.q[k : k + 4], 1)
    mujoco.mj_forward(model, data)


@pytest.fixture(params=SIMULATED, scope="module")
def simulated(request, tmp_path_factory):
    """A machine, MuJoCo's model of it, and some of its states."""
    robot = machine(request.param)
    oracle = from_mjcf(robot, tmp_path_factory.mktemp("mjcf"))
    rng = np.random.default_rng(1)
    return robot, *mujoco_model(robot), [oracle.random_state(rng) for _ in range(3)]


@pytest.mark.parametrize("name", EXPORTED)
def test_pinocchio_finds_our_efforts(name, tmp_path):
    robot = machine(name)
    mujoco_model(robot)
    assert_efforts_agree(robot, from_mjcf(robot, tmp_path))


def test_mujoco_finds_our_energies(simulated):
    robot, model, data, states = simulated
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    for state in states:
        placed(model, data, state)
        kinetic, potential = gough.Model(robot).energy(state.pose, state.twist)
        np.testing.assert_allclose(data.energy, [potential, kinetic], rtol=1e-9)


def test_mujoco_accelerates_as_ours_where_its_loops_are_rigid(simulated):
    robot, model, data, states = simulated
    model.dof_damping[:] = model.dof_frictionloss[:] = 0.0
    for state in states:
        motion = (state.pose, state.twist, state.acceleration)
        efforts = gough.Model(robot).inverse_dynamics(*motion, np.zeros(6))
        found = []
        for softness in (4 * SOFTNESS, 2 * SOFTNESS, SOFTNESS):
            model.eq_solimp[:, :2] = 1 / (1 + softness)
            data.ctrl[:] = efforts
            placed(model, data, state)
            found.append(platform_acceleration(model, data))
        soft, stiffer, stiffest = found
        rigid = (soft - 6 * stiffer + 8 * stiffest) / 3  # a parabola through all three, at zero
        error = 5e-6 * np.abs(state.acceleration).max()
        np.testing.assert_allclose(rigid, state.acceleration, rtol=0, atol=error)


def platform_acceleration(model, data):
    """Acceleration of the platform frame's origin and its angular one, base axes, of `qacc`."""
    platform = model.body("platform").id
    J, rate = np.zeros((6, model.nv)), np.zeros((6, model.nv))
    at = data.xpos[platform]
    mujoco.mj_jac(model, data, J[:3], J[3:], at, platform)
    mujoco.mj_jacDot(model, data, rate[:3], rate[3:], at, platform)
    return J @ data.qacc + rate @ data.qvel


def test_the_home_keyframe_holds_the_machine(simulated):
    robot, model, data, _ = simulated
    mujoco.mj_resetDataKeyframe(model, data, 0)
    for _ in range(200):
        mujoco.mj_step(model, data)
    platform = data.body("platform")
    np.testing.assert_allclose(platform.xpos, robot.home[:3], atol=1e-6)
    np.testing.assert_allclose(platform.xquat, robot.home[3:], atol=1e-6)


def test_closures_hold_where_a_body_is_welded_of_two():
    robot = machine("3-UPU")
    export = machine_export(robot, "mjcf")
    assert "platform shares its mass with wrist1.half, wrist2.half, welded to it" in export.remarks
    model = mujoco.MjModel.from_xml_string(export.text)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    for _ in range(200):
        mujoco.mj_step(model, data)
    np.testing.assert_allclose(data.body("platform").xpos, robot.home[:3], atol=2e-4)


def test_all_bodies_that_mujoco_makes_heavier_are_told():
    data = gough.load("delta").to_dict()
    bodies = {body["name"]: body for body in data["bodies"]}
    bodies["rod-3b"] |= {"mass": 0.0, "inertia": [0.0, 0.0, 0.0]}
    bodies["arm-1"]["inertia"] = [1e-9, 1e-9, 1e-9]
    robot = gough.Robot.from_dict(data)
    export = machine_export(robot, "mjcf")
    model = mujoco.MjModel.from_xml_string(export.text)
    heavier = {b.name for b in robot.bodies if model.body(b.name).inertia.min() > 2e-9 > moment(b)}
    (told,) = (remark for remark in export.remarks if "too little mass" in remark)
    assert heavier == {"arm-1", "rod-3b"}
    assert set(told.split(": ")[1].split(", ")) == heavier


def moment(body):
    return np.linalg.eigvalsh(np.array(body.inertia)).min()


def test_joints_count_as_the_maker_does_and_motors_keep_their_order():
    robot = machine("demo-hexapod")
    model, data = mujoco_model(robot)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    lengths = gough.Model(robot).inverse_kinematics(np.array(robot.home))
    for k, (leg, name) in enumerate(zip(robot.legs, motors(robot), strict=True)):
        assert model.actuator(k).name == name
        np.testing.assert_allclose(data.joint(name).qpos, lengths[k], rtol=1e-14)
        np.testing.assert_array_equal(model.joint(name).range, leg.stroke)
        np.testing.assert_array_equal(model.actuator(k).ctrlrange, [-leg.max_force, leg.max_force])


def test_nothing_touches_and_nothing_but_bodies_weighs():
    robot = machine("delta")
    model, _ = mujoco_model(robot)
    assert not model.geom_contype.any()
    assert not model.geom_conaffinity.any()
    masses = {body.name: body.mass for body in robot.bodies} | {"platform": robot.platform.mass}
    assert {name: model.body(name).mass[0] for name in masses} == masses
    assert np.isclose(model.body_mass.sum(), sum(masses.values()), rtol=1e-15)


def test_positions_add_up_to_those_of_the_robot_file():
    robot = machine("delta")
    found = {}

    def walk(body, above):
        here = above + numbers(body.get("pos", "0 0 0"))
        for inertial in body.findall("inertial"):
            found[body.get("name")] = here + numbers(inertial.get("pos"))
        for inner in body.findall("body"):
            walk(inner, here)

    walk(ET.fromstring(machine_export(robot, "mjcf").text).find("worldbody/body"), np.zeros(3))
    for body in robot.bodies:
        np.testing.assert_allclose(found[body.name], body.center_of_mass, rtol=0, atol=1e-15)


def numbers(text):
    return np.array([float(number) for number in text.split()])
