"""Passive degrees of freedom that no pose determines: held by kernels, carried by simulations."""

import numpy as np
import pytest
from drawings import Body, Joint, Mechanism, Platform, changed
from drawn_machines import Drawer, hexapod_joints, rotary_hexapod
from mechanism_kernels import kernels
from scipy.integrate import solve_ivp

import gough
from gough.errors import RobotError
from gough.model.mechanism import analysed, possible_moves
from gough.model.structure import left_out
from gough.motion import motion_from_dict
from gough.robot import mechanism as records
from gough.robot.springs import Spring
from gough.runs.checking import check_file
from gough.simulation import open_loop, real_plant

CART, BOB, ARM, MOMENT = 2.0, 0.5, 0.2, 4e-3
X, Y, Z = np.eye(3).tolist()
ASIDE = (0.0, 0.05, 0.0)
NOTE = (
    "pin has a passive degree of freedom that the pose does not determine: held as at home; "
    'simulations with coordinates = "joints" carry it'
)


def cart(pen="R", driven=False):
    """A platform on a slide, and a pen on a pin, which stands out to the side at home."""
    joints = (
        Joint("slide", "P", ("base", "platform"), (0, 0, 0), [X], True),
        Joint("pin", pen, ("platform", "pen"), (0, 0, 0), [Z] if pen == "R" else (), driven),
    )
    moves = Platform(CART, np.eye(3).tolist(), moves=("x",))
    bob = Body("pen", BOB, (ARM, 0, 0), (MOMENT * np.eye(3)).tolist())
    return Mechanism("cart", moves, (bob,), joints, (0.0, -9.81, 0.0))


def test_kernels_hold_a_pen_as_if_it_were_welded():
    pinned, welded = kernels(cart()), kernels(cart("fixed"))
    assert analysed(cart()).structure.held == ("pin",)
    motion = [0.3, 0, 0, 1, 0, 0, 0], [0.4, 0, 0, 0, 0, 0], [2.0, 0, 0, 0, 0, 0]
    expected = (CART + BOB) * 2.0
    assert pinned.inverse_dynamics(*motion) == pytest.approx(expected)
    for name in ("inverse_dynamics", "reactions"):
        np.testing.assert_allclose(getattr(pinned, name)(*motion), getattr(welded, name)(*motion))
    assert left_out(cart()) == (NOTE,)
    assert left_out(cart("fixed")) == ()
    assert possible_moves(cart()) == ("x",)


def test_simulations_with_all_joints_carry_the_pen():
    """A pendulum on a cart, by hand: m x'' and J a'' of x and the angle a, from the side."""
    robot, total = cart(), CART + BOB
    plant = real_plant(robot, coordinates="joints", drives=False, joint_friction=False, stops=False)
    motion = motion_from_dict({"kind": "hold", "duration": 0.5}, robot)
    run = gough.simulate(gough.Scenario(robot, open_loop(0.0), motion, plant=plant))

    def rates(_, y):
        _, a, v, w = y
        M = [[total, -BOB * ARM * np.sin(a)], [-BOB * ARM * np.sin(a), MOMENT + BOB * ARM**2]]
        h = [BOB * ARM * np.cos(a) * w**2, -BOB * ARM * 9.81 * np.cos(a)]
        return [v, w, *np.linalg.solve(M, h)]

    exact = solve_ivp(rates, (0, 0.5), [0, 0, 0, 0], rtol=1e-11, atol=1e-12, t_eval=run.time)
    assert np.abs(exact.y[0]).max() > 0.02
    np.testing.assert_allclose(run["pose"][:, 0], exact.y[0], atol=1e-8)
    assert not [words for words in run.warnings if "passive" in words]


def test_springs_and_armatures_of_held_joints_are_left_out_with_a_note():
    """In a tree of all joints they act: the pen hangs on its spring."""
    robot, spring = cart(), records.HingeSpring(stiffness=40.0, torque=0.3)
    for key, value in (("armature", 0.02), ("spring", spring)):
        slide, pin = robot.joints
        sprung = changed(robot, joints=(slide, changed(pin, **{key: value})))
        motion = robot.home, [0.4, 0, 0, 0, 0, 0], [2.0, 0, 0, 0, 0, 0]
        assert kernels(sprung).actuator_force(*motion) == pytest.approx((CART + BOB) * 2.0)
        assert left_out(sprung) == (NOTE.replace("at home", f"at home, without {key}"),)
    (_, angle) = gough.FlexibleMachine(sprung).deflected().z
    assert 40.0 * angle == pytest.approx(0.3 - BOB * 9.81 * ARM * np.cos(angle), rel=1e-6)


def test_a_body_without_mass_that_a_spring_pulls_has_a_note():
    """The pen itself stays where it is in a tree of all joints, as no spring pulls it."""
    robot, bodies = cart(), (Body("pen"),)
    on_pen, on_cart = (
        Spring(name="s", between=("base", body), start=(0, 1, 0), end=at, force=5.0)
        for body, at in (("pen", (0.1, 0, 0)), ("platform", (0, 0, 0)))
    )
    assert left_out(changed(robot, bodies=bodies)) == ()
    assert left_out(changed(robot, bodies=bodies, springs=(on_pen,))) == (NOTE,)
    beside = changed(robot, springs=(on_cart,))
    np.testing.assert_allclose(gough.FlexibleMachine(beside).deflected().z, 0.0)


def test_a_motor_of_such_a_body_is_refused():
    with pytest.raises(RobotError) as refused:
        analysed(cart(driven=True))
    assert (refused.value.key, refused.value.expected) == ("pin", "motors that move the platform")


def test_what_is_left_out_is_said_by_check_and_studies(tmp_path):
    file = tmp_path / "cart.toml"
    gough.save(cart(), file)
    assert NOTE in check_file(file).warnings
    study = {"schema": "gough-study/1", "name": "rest", "robot": str(file)}
    study["motion"] = {"kind": "hold", "duration": 0.1}
    assert NOTE in gough.run(study).warnings


def five_bar(elbow="R", more=()):
    d = gough.load("five-bar")
    ends = ("elbow-right", "tip-right")
    joints = [changed_kind(j, elbow) if j.name in ends else j for j in d.joints]
    bodies, added = more or ((), ())
    return changed(d, joints=(*joints, *added), bodies=(*d.bodies, *bodies))


def changed_kind(joint, kind):
    return Joint(joint.name, kind, joint.between, joint.at, [joint.axis])


def test_a_link_between_sleeves_is_held_along_their_axes():
    """It turns as between hinges; along its axes it slides as it likes."""
    state = gough.load("five-bar").home, [0.1, 0.2, 0, 0, 0, 0.3]
    hinge, sleeve = kernels(five_bar()), kernels(five_bar("C"))
    (held,) = sleeve.analysis.structure.held
    assert held in ("elbow-right", "tip-right")
    assert left_out(five_bar("C")) == (NOTE.replace("pin", held),)
    np.testing.assert_allclose(sleeve.inverse_dynamics(*state), hinge.inverse_dynamics(*state))


def test_bodies_without_mass_are_dropped_without_a_note():
    ring = (Body("ring"),), (Joint("axle", "C", ("crank-left", "ring"), (0, 0, 0), [X]),)
    robot = five_bar(more=ring)
    assert analysed(robot).structure.held == ("axle",)
    assert left_out(robot) == ()
    home = robot.home
    np.testing.assert_allclose(
        kernels(robot).inverse_dynamics(home), kernels(five_bar()).inverse_dynamics(home)
    )


def test_spinning_parts_of_legs_are_held():
    """Legs on balls at both ends, with a slide and a swivel: each part spins as it likes."""
    d = Drawer(0)
    for i, (foot, wrist) in enumerate(zip(*hexapod_joints(0), strict=True)):
        names = [f"{part}{i}" for part in ("tube", "piston", "head")]
        tube, piston, head = (d.body(name, foot, wrist) for name in names)
        d.joint(f"foot{i}", "S", ("base", tube), foot)
        d.joint(f"slide{i}", "P", (tube, piston), foot, wrist - foot, driven=True)
        d.joint(f"swivel{i}", "R", (piston, head), wrist, wrist - foot)
        d.joint(f"wrist{i}", "S", (head, "platform"), wrist)
    machine = d.machine("spinning", records.MOVES, [0, 0, 0.7])
    found = analysed(machine)
    assert len(found.structure.held) == len(found.left_out) == 12
    assert found.structure.mobility == 6


def test_rods_off_their_line_are_taken_as_symmetric_with_a_note():
    machine = rotary_hexapod(0, "SS")
    for changes, words in (
        ({"center_of_mass": np.add(machine.bodies[1].center_of_mass, [0.01, 0, 0])}, "mass centre"),
        ({"inertia": np.diag([2e-3, 3e-3, 4e-3]).tolist()}, "inertia is off symmetry"),
    ):
        bodies = [changed(b, **changes) if b is machine.bodies[1] else b for b in machine.bodies]
        (note,) = left_out(changed(machine, bodies=tuple(bodies)))
        assert note.startswith(f"{machine.bodies[1].name}: its {words}")
    assert left_out(machine) == ()


def test_simulations_with_all_joints_carry_the_spin_of_a_rod_off_its_line():
    """A spatial four-bar falls without loss, and otherwise than with the rod as symmetric."""
    d = Drawer(0)
    crank, rocker = (0.0, 0.0, 0.3), (0.5, 0.1, 0.4)
    d.body("crank", (0, 0, 0), crank)
    d.rod("rod", crank, rocker)
    d.joint("motor", "R", ("base", "crank"), (0, 0, 0), X, driven=True)
    d.joint("near", "S", ("crank", "rod"), crank)
    d.joint("far", "S", ("rod", "platform"), rocker)
    d.joint("pivot", "R", ("base", "platform"), (0.5, 0.1, 0), Y)
    machine = d.machine("four-bar", ("ry",), rocker)
    rod = changed(machine.bodies[1], center_of_mass=np.add(machine.bodies[1].center_of_mass, ASIDE))
    robot = changed(machine, bodies=(machine.bodies[0], rod))
    motion = motion_from_dict({"kind": "hold", "duration": 0.3}, robot)
    ideal = {"drives": False, "joint_friction": False, "stops": False}
    symmetric, run = (
        gough.simulate(
            gough.Scenario(robot, open_loop(0.0), motion, plant=real_plant(robot, **how, **ideal))
        )
        for how in ({}, {"coordinates": "joints"})
    )
    energy = run["stored_energy"].sum(axis=-1)
    np.testing.assert_allclose(energy, energy[0], atol=1e-8)
    assert 1e-4 < np.abs(run["pose"][-1] - symmetric["pose"][-1]).max() < 0.1
    assert [words for words in symmetric.warnings if "rod: its mass centre" in words]
    assert not [words for words in run.warnings if "rod" in words]
