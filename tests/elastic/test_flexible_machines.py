"""Machines with links that bend: tables of beams, chains of segments, energy, the rigid limit."""

import numpy as np
import pytest
from bending_arms import BENDING, LENGTHS, MASSES, Segments, arm
from drawings import Body, Joint, changed
from scipy.integrate import solve_ivp
from scipy.linalg import eigh

import gough

L, MASS, EI = LENGTHS[0], MASSES[0], BENDING[0]
IN_PLANE = [gough.BeamStiffness((EI, None), side=(0, 1, 0)) for EI in BENDING]
CANTILEVER = 1.8751040687119611**2 * np.sqrt(EI * L / MASS) / L**2 / (2 * np.pi)


def one_link(beam=IN_PLANE[0], *, modes=2, **options):
    options = {"moves": ("y",), **options}
    return gough.FlexibleMachine(
        arm(LENGTHS[:1], MASSES[:1], **options), {"link-1": beam}, modes=modes
    )


def frequencies(*state, **options):
    return gough.natural_modes(*state, **options).frequencies


def two_links(modes=2, elements=8, **options):
    beams = {"link-1": IN_PLANE[0], "link-2": IN_PLANE[1]}
    return gough.FlexibleMachine(arm(**options), beams, modes=modes, elements=elements)


def test_a_locked_link_is_a_cantilever_and_a_free_one_a_pinned_beam():
    machine = one_link(modes=4)
    assert frequencies(machine)[0] == pytest.approx(CANTILEVER, rel=1e-5)
    pinned = 3.9266023120479**2 / 1.8751040687119611**2 * CANTILEVER
    free = frequencies(machine, actuators="free")
    assert free[:2] == pytest.approx([0.0, pinned], rel=1e-4, abs=1e-6)
    spring = frequencies(machine, actuators=1e-3)[0]
    rigid = np.sqrt(1e-3 * 3 / (MASS * L**2)) / (2 * np.pi)
    assert spring == pytest.approx(rigid, rel=1e-4)


def test_motors_are_in_series_with_their_drives():
    drawn = arm(LENGTHS[:1], MASSES[:1], moves=("y",))
    soft = changed(drawn, joints=(changed(drawn.joints[0], stiffness=3e-3), drawn.joints[1]))
    machine = gough.FlexibleMachine(soft, {"link-1": IN_PLANE[0]}, modes=0)
    for actuators, stiffness in (("locked", 3e-3), (1e-3, 0.75e-3), ("free", 0.0)):
        rigid = np.sqrt(stiffness * 3 / (MASS * L**2)) / (2 * np.pi)
        found = frequencies(machine, actuators=actuators)[0]
        assert found == pytest.approx(rigid, rel=1e-4, abs=1e-6)


def test_a_tip_sags_under_a_force_and_a_uniform_weight():
    force = 3.0
    tip = one_link().deflected(wrench=[0, force, 0, 0, 0, 0])
    assert tip.pose[1] == pytest.approx(force * L**3 / (3 * EI), rel=1e-6)
    assert tip.force == pytest.approx([-force * L], rel=1e-4)
    weight = MASS * 0.1
    sagging = one_link(gravity=(0, -0.1, 0)).deflected()
    assert sagging.pose[1] == pytest.approx(-weight * L**3 / (8 * EI), rel=1e-6)
    assert sagging.force == pytest.approx([weight * L / 2], rel=1e-6)


def test_a_heavy_tip_lowers_the_frequency_as_a_spring_with_a_mass():
    tip = 200.0
    spring = np.sqrt(3 * EI / L**3 / (tip + 33 / 140 * MASS)) / (2 * np.pi)
    assert frequencies(one_link(tip=tip))[0] == pytest.approx(spring, rel=1e-5)


def test_a_heavy_tip_has_most_of_the_energy_of_its_mode():
    tip = 20.0
    found = gough.natural_modes(one_link(tip=tip))
    assert found.platform[0] == pytest.approx(tip / (tip + 33 / 140 * MASS), rel=1e-3)
    assert [words for words, _ in found.most[:2]] == ["platform along y", "links"]
    np.testing.assert_allclose(found.participation.sum(-1), 1, rtol=1e-9)
    assert found.bent[0] == ("link-1", 1.0)


def test_a_link_ends_between_its_joints():
    """Two halves of a mass on a yoke are one mass with their inertia."""
    mass, d, radius = 2.0, 0.1, 0.02
    beam = gough.BeamStiffness((EI, 2 * EI), 1e6, 70.0, side=(0, 1, 0))
    inertia = [[mass * d**2, 0, 0], [0, 0, 0], [0, 0, mass * d**2]]
    drawn = arm(LENGTHS[:1], MASSES[:1], radius=radius, moves=("y",), gravity=(0, 0, -9.81))
    whole = changed(drawn.platform, mass=mass, inertia=inertia)
    half = changed(drawn.platform, mass=mass / 2, home={"position": (L, d, 0)})
    other = Body("other", mass / 2, (L, -d, 0))
    hip, hand = drawn.joints
    yoke = (
        hip,
        changed(hand, at=(L, d, 0)),
        Joint("other hand", "fixed", ("link-1", "other"), (L, -d, 0)),
    )
    found = [
        frequencies(gough.FlexibleMachine(robot, {"link-1": beam}, modes=1))
        for robot in (
            changed(drawn, platform=whole),
            changed(drawn, platform=half, bodies=(*drawn.bodies, other), joints=yoke),
        )
    ]
    assert found[0] == pytest.approx(found[1], rel=1e-9)


def test_all_ways_of_a_link_are_those_of_its_beam():
    beam = gough.BeamStiffness((EI, 2 * EI), 1e6, 70.0, side=(0, 1, 0))
    options = {"radius": 0.01, "moves": ("y",)}
    machine = one_link(beam, **options, modes=0)
    load = np.array([5.0, 0.3, 0.2, 0.1, 0.0, 0.0])
    bent = machine.deflected(wrench=load)
    way, turn = bent.pose[:3] - [L, 0, 0], 2 * bent.pose[4:]
    expected = [5 * L / 1e6, 0.3 * L**3 / (3 * EI), 0.2 * L**3 / (6 * EI)]
    assert way == pytest.approx(expected, rel=1e-2, abs=1e-6)
    assert turn[0] == pytest.approx(0.1 * L / 70.0, rel=1e-3)


@pytest.mark.parametrize("actuators", ["locked", "free"])
def test_two_links_vibrate_as_chains_of_segments_in_the_limit(actuators):
    machine, q = two_links(modes=6, elements=12), (0.3, 0.9)
    z = machine.at()
    z[:2] = q
    found = frequencies(machine, machine.pose(z), actuators=actuators)
    rigid = 2 if actuators == "free" else 0
    found = found[rigid : rigid + 2]
    chains = [Segments(n).frequencies(q, actuators == "locked") for n in (16, 32, 64)]
    coarse, fine, finest = (chain[rigid : rigid + 2] for chain in chains)
    if actuators == "locked":
        assert np.log2((coarse - fine) / (fine - finest)) == pytest.approx([2, 2], abs=0.05)
    assert found == pytest.approx(finest + (finest - fine) / 3, rel=3e-5)


@pytest.mark.parametrize("actuators", ["locked", "free"])
def test_links_of_segments_are_the_chain_itself(actuators):
    """As another program has it: rigid segments, hinges, and springs between them."""
    beams = dict(zip(("link-1", "link-2"), IN_PLANE, strict=True))
    machine = gough.FlexibleMachine(arm(), beams, segments=3)
    q = np.array([0.3, -0.8])
    z = np.zeros(len(machine.coordinates))
    z[machine.motors] = q
    found = gough.natural_modes(machine, machine.pose(z), actuators=actuators).frequencies
    expected = Segments(3).frequencies(q, actuators == "locked")
    assert np.abs(found) == pytest.approx(expected, rel=1e-8, abs=1e-4)


def test_two_links_move_as_a_chain_of_segments_in_the_limit():
    """Across the arm; along it the chain also becomes shorter, at second order of its bending."""
    machine, duration = two_links(), 0.2

    def efforts(t):
        return np.array([2.0, 0.4]) * np.sin(np.pi * t / duration) ** 2

    def ours(t, z, rate):
        return machine.forward_dynamics(z, rate, efforts(t))

    def chained(t, x, rate):
        return chain.acceleration(x, rate, efforts(t))

    times = np.linspace(0, duration, 6)
    moved, _ = _motion(ours, np.zeros(len(machine.coordinates)), times, 1e-7)
    tip, errors = np.array([machine.pose(z)[1] for z in moved]), []
    for n in (4, 8):
        chain = Segments(n)
        moved, _ = _motion(chained, np.zeros(chain.model.nv), times, 1e-7)
        errors.append(np.abs([chain.tip(x)[1] for x in moved] - tip).max() / np.abs(tip).max())
    assert errors[1] < 1e-4
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.05)


def _motion(acceleration, start, times, tolerance):
    """Coordinates and rates at these times of a motion from rest."""
    n = len(start)

    def rate(t, x):
        return np.r_[x[n:], acceleration(t, x[:n], x[n:])]

    options = {"method": "DOP853", "rtol": tolerance, "atol": tolerance / 100}
    run = solve_ivp(rate, times[[0, -1]], np.r_[start, np.zeros(n)], t_eval=times, **options)
    return run.y[:n].T, run.y[n:].T


def test_a_falling_link_keeps_its_energy():
    soft = gough.BeamStiffness((5.0, None), side=(0, 1, 0))
    machine = one_link(soft, modes=1, gravity=(0, -9.81, 0))

    def fall(_, z, rate):
        return machine.forward_dynamics(z, rate, [0.0])

    z, rate = _motion(fall, np.zeros(4), np.linspace(0, 0.3, 20), 1e-10)
    energy = machine.energy(z, rate)
    total = energy.sum(axis=1)
    assert np.ptp(energy[:, 0]) > 1
    assert energy[:, 2].max() > 1e-3
    assert np.abs(total - total[0]).max() < 1e-8 * np.ptp(energy[:, 0])


def test_motors_that_work_give_energy_and_inverse_dynamics_undoes_forward():
    machine = two_links(gravity=(0, -9.81, 0), tip=0.3)
    rng = np.random.default_rng(2)
    z, rate = rng.normal(size=(2, 5, len(machine.coordinates)))
    z[:, 2:] *= 1e-2
    force = rng.normal(size=(5, 2))
    wrench = rng.normal(size=(5, 6))
    second = machine.forward_dynamics(z, rate, force, wrench)
    found, again = machine.inverse_dynamics(z, rate, second[:, machine.motors], wrench)
    assert found == pytest.approx(force, rel=1e-7, abs=1e-8)
    assert again == pytest.approx(second, rel=1e-7, abs=1e-6)


@pytest.fixture(scope="module")
def five_bar():
    """The machine with its cranks as beams, and the pose at which it is looked at."""
    robot = gough.load("five-bar")
    stiffness = {"crank-left": 300.0, "crank-right": 200.0}

    def with_beams(times=1.0):
        beams = {
            name: gough.BeamStiffness((times * EI, None), side=(1, 0, 0))
            for name, EI in stiffness.items()
        }
        return gough.FlexibleMachine(robot, beams, modes=1, elements=4)

    machine = with_beams()
    return robot, with_beams, machine.pose(machine.at(gough.pose([0.03, 0.35, 0])))


def test_efforts_become_those_of_the_rigid_machine_at_first_order(five_bar):
    robot, with_beams, pose = five_bar
    model = gough.Model(robot)
    force = np.array([1.0, -0.5])
    twist = model.admissible(pose, [0.4, 0.3, 0, 0, 0, 0])
    acceleration = model.forward_dynamics(pose, twist, force)
    errors = []
    for times in (10.0, 100.0, 1000.0):
        bent = with_beams(times).deflected(pose, twist, acceleration)
        errors.append(np.abs(bent.force - force).max())
    assert np.diff(np.log10(errors)) == pytest.approx([-1, -1], abs=0.05)


def test_light_cranks_that_bend_are_springs_at_their_motors(five_bar):
    robot, with_beams, pose = five_bar
    light = tuple(
        changed(body, mass=body.mass * 1e-6, inertia=np.multiply(body.inertia, 1e-6).tolist())
        if body.name.startswith("crank")
        else body
        for body in robot.bodies
    )
    light = changed(robot, gravity=(0.0, 0.0, 0.0), bodies=light)
    machine = gough.FlexibleMachine(light, with_beams().beams, modes=1, elements=4)
    model = gough.Model(light)
    T = model.twist_basis(pose)
    J = model.jacobian(pose) @ T
    K = J.T @ np.diag(3 * np.array([300.0, 200.0]) / 0.2) @ J
    load = np.array([0.02, -0.03, 0, 0, 0, 0])
    moved = machine.deflected(pose, wrench=load).pose[:2] - pose[:2]
    assert moved == pytest.approx(np.linalg.solve(K, T.T @ load), rel=1e-3)
    squares = eigh(K, model.mass_matrix(pose), eigvals_only=True)
    found = frequencies(machine, pose)[:2]
    assert found == pytest.approx(np.sqrt(squares) / (2 * np.pi), rel=1e-4)


def test_a_closed_machine_keeps_its_energy(five_bar):
    _, with_beams, pose = five_bar
    machine, efforts = with_beams(0.2), np.array([-0.5, 0.6])
    start = machine.at(pose)

    def driven(_, z, rate):
        return machine.forward_dynamics(z, rate, efforts)

    z, rate = _motion(driven, start, np.linspace(0, 0.01, 20), 1e-10)
    energy = machine.energy(z, rate)
    work = (z - start)[:, machine.motors] @ efforts
    balance = energy.sum(axis=1) - work
    assert energy[:, 2].max() > 1e-5
    assert np.abs(balance - balance[0]).max() < 1e-8 * np.ptp(energy[:, 0])


def test_bad_input_is_refused(five_bar):
    robot, with_beams, _ = five_bar
    machine, beam = with_beams(), gough.BeamStiffness(1.0)
    with pytest.raises(gough.GoughError, match="those of a robot; got 'five-bar'"):
        gough.FlexibleMachine("five-bar", {})
    with pytest.raises(gough.GoughError, match=r"connector\.stiffness .* a compliant part beside"):
        gough.FlexibleMachine(gough.load("demo-hexapod"), {})
    with pytest.raises(gough.GoughError, match="segments is 1; expected a whole number, 2 or more"):
        gough.FlexibleMachine(robot, {"crank-left": beam}, segments=1)
    with pytest.raises(gough.GoughError, match="for some of crank-left, crank-right, link-right"):
        gough.FlexibleMachine(robot, {"crank": beam})
    with pytest.raises(gough.GoughError, match="modes is -1; expected a whole number, 0 or more"):
        gough.FlexibleMachine(robot, {"crank-left": beam}, modes=-1)
    with pytest.raises(gough.GoughError, match="damping is 2; expected a ratio from 0 to 1"):
        gough.FlexibleMachine(robot, {"crank-left": beam}, damping=2)
    with pytest.raises(gough.GoughError, match="does not reach the pose"):
        machine.at(gough.pose([0, 2.0, 0]))
    with pytest.raises(gough.GoughError, match="pose has shape"):
        machine.at(np.tile(robot.home, (2, 1)))
    with pytest.raises(gough.GoughError, match="actuators are 'loose'"):
        frequencies(machine, actuators="loose")
    with pytest.raises(gough.GoughError, match="z has shape"):
        machine.energy(np.zeros(3), np.zeros(3))


def test_a_link_that_falls_is_told():
    drawn = arm(LENGTHS[:1], MASSES[:1], moves=("y",), gravity=(0, -9.81, 0))
    loose = changed(drawn, joints=(changed(drawn.joints[0], driven=False), drawn.joints[1]))
    machine = gough.FlexibleMachine(loose, {"link-1": IN_PLANE[0]}, modes=0)
    with pytest.raises(gough.GoughError, match="no motion left with the motors locked"):
        machine.deflected()


def test_beams_of_the_file_are_used():
    tube = {"diameter": 0.02, "bore": 0.016, "modulus": 7e10}
    robot = gough.load("five-bar").replace({"legs[0].links[0].beam": tube})
    machine = gough.FlexibleMachine(robot, modes=0)
    shear = 7e10 / 2.6
    assert machine.beams == {"crank-left": gough.BeamStiffness.tube(7e10, shear, 0.01, 0.008)}
    assert machine.coordinates[-6:] == tuple(
        f"crank-left.{way}" for way in ("x", "y", "z", "rx", "ry", "rz")
    )
    assert len(gough.FlexibleMachine(gough.load("five-bar")).coordinates) == 4


@pytest.fixture(scope="module")
def soft_links():
    """A weightless five-bar without rotors, of which a crank and a rod bend."""
    tube = {"diameter": 0.02, "bore": 0.016, "modulus": 7e10, "modes": 0, "elements": 1}
    beams = {"legs[0].links[0].beam": tube, "legs[1].links[1].beam": tube}
    rigid = {"leg.motor.stiffness": 1e12, "leg.motor.drive": None, "gravity": [0, 0, 0]}
    return gough.FlexibleMachine(gough.load("five-bar").replace({**beams, **rigid}))


def test_deflections_are_those_of_the_machines_compliance(soft_links):
    """In all directions: of springs in series, by another way, in an overconstrained machine."""
    robot = soft_links.robot
    load = np.array([0.01, 0.02, 0.03, 1e-3, 2e-3, -1e-3])
    bent = soft_links.deflected(wrench=load).pose
    expected = gough.stiffness(robot).deflection(load)
    assert gough.poses.difference(bent, robot.home) == pytest.approx(expected, rel=3e-6)


@pytest.mark.parametrize("actuators", ["locked", "free", 2000.0])
def test_modes_of_bodies_that_joints_tie_are_the_same(soft_links, actuators):
    """By another way, at home and elsewhere, where nothing is bent."""
    robot = soft_links.robot
    poses = np.array([robot.home, soft_links.pose(soft_links.at(gough.pose([0.03, 0.35, 0])))])
    found = gough.natural_modes(robot, poses, actuators=actuators)
    expected = [frequencies(soft_links, pose, actuators=actuators) for pose in poses]
    np.testing.assert_allclose(found.frequencies, expected, rtol=1e-6, atol=1e-3)


def test_a_pose_beyond_reach_is_told(soft_links):
    with pytest.raises(gough.GoughError, match="cannot hold it at the pose"):
        gough.natural_modes(soft_links.robot, gough.pose([0.03, 0.35, 0]))


def test_a_motion_without_mass_is_told():
    line = arm(LENGTHS[:1], MASSES[:1], axes=((1, 0, 0),), moves=("y",))
    machine = gough.FlexibleMachine(line, {"link-1": IN_PLANE[0]}, modes=0)
    with pytest.raises(gough.GoughError, match="moves no mass"):
        machine.forward_dynamics(np.zeros(3), np.zeros(3), [1.0])


@pytest.mark.parametrize(("gravity", "apart"), [([0, 0, 0], 1e-8), ([0, 0, -9.81], 2e-3)])
def test_rods_that_spin_between_ball_joints_are_no_modes(gravity, apart):
    tube = {"diameter": "30 mm", "bore": "26 mm", "modulus": "70 GPa", "modes": 0, "elements": 2}
    changes = {"leg.links[0].beam": tube, "leg.motor.stiffness": "12 kN m/rad", "gravity": gravity}
    robot = gough.load("delta").replace(changes)
    found, expected = (frequencies(one) for one in (gough.FlexibleMachine(robot), robot))
    assert len(found) == len(expected)
    np.testing.assert_allclose(found, expected, rtol=apart)
