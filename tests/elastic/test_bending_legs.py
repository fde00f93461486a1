"""Legs whose cylinder and piston bend: finite elements, closed forms, energy, and limits."""

import numpy as np
import pytest
from telescopes import BENDING, MASSES, bent_hexapod, leg_length, pinned_leg, telescope

import gough
from gough.elastic.flexible.coordinates import least_norm
from gough.elastic.stiffness import stiffness_map

LOW = gough.pose([0.05, -0.03, 0.9], rpy=[0.05, 0.02, 0.1])


@pytest.mark.parametrize("pose", [None, LOW], ids=["home", "low"])
def test_between_rigid_ends_each_leg_is_that_of_finite_elements(pose):
    """Motors are locked and legs rigid along themselves: the platform does not move."""
    lengths = (0.9, 0.8)
    found = gough.natural_modes(bent_hexapod(lengths, modes=20, elements=12), pose).frequencies
    robot = bent_hexapod(lengths)
    alone = [pinned_leg(leg_length(robot, k, pose), lengths)[:3] for k in range(6)]
    expected = np.sort(np.repeat(np.ravel(alone), 2))[:24]  # in two planes
    assert found[:24] == pytest.approx(expected, rel=2e-4)


def test_parts_as_long_as_their_leg_are_two_beams_on_simple_supports():
    robot = bent_hexapod(legs=[0])
    l = leg_length(robot, 0)
    found = gough.natural_modes(bent_hexapod((l, l), legs=[0], modes=12)).frequencies
    exact = [np.pi**2 / 2 / np.pi * np.sqrt(EI * l / m) / l**2
             for EI, m in zip(BENDING, MASSES, strict=True)]  # fmt: skip
    assert found[[0, 2]] == pytest.approx(np.sort(exact), rel=1e-4)
    assert found[[1, 3]] == pytest.approx(np.sort(exact), rel=1e-4)


def test_a_piston_in_a_heavy_cylinder_is_a_beam_on_three_supports():
    """Of two equal spans, the lowest mode is that of one span between simple supports."""
    l = leg_length(bent_hexapod(legs=[0]), 0)
    lengths = (0.75 * l, 0.5 * l)
    robot = bent_hexapod(lengths, legs=[0], masses=(1e7, 0.3), modes=12, elements=12)
    stiff = {"legs[0].cylinder.beam.modulus": 2e21}
    found = gough.natural_modes(robot.replace(stiff)).frequencies
    span = lengths[1] / 2
    exact = np.pi / 2 * np.sqrt(BENDING[1] / (0.3 / lengths[1])) / span**2
    assert found[found > 1][0] == pytest.approx(exact, rel=2e-3)


def test_an_extended_leg_is_softer_than_a_retracted_one():
    robot = bent_hexapod(legs=[0], modes=4)
    heights = [gough.pose([0, 0, z]) for z in (0.85, 1.0, 1.2)]
    first = gough.natural_modes(robot, np.array(heights)).frequencies[:, 0]
    assert (np.diff(first) < 0).all()
    assert first[0] > 1.5 * first[-1]


def test_stiff_legs_are_rigid():
    stiffness = {"stiffness": 1e6}
    soft = bent_hexapod(changes=stiffness.items(), modes=2)
    stiff = soft.replace({f"legs[{k}].{part}.beam.modulus": 2e17
                          for k in range(6) for part in ("cylinder", "piston")})  # fmt: skip
    rigid = gough.natural_modes(_rigid(soft), LOW).frequencies
    assert gough.natural_modes(stiff, LOW).frequencies[:6] == pytest.approx(rigid, rel=1e-6)
    assert (gough.natural_modes(soft, LOW).frequencies[:6] < rigid).all()


def _rigid(robot):
    return robot.replace({f"legs[{k}].{part}.beam": None
                          for k in range(6) for part in ("cylinder", "piston")})  # fmt: skip


def test_springs_along_legs_count_with_the_length():
    """Screws, nuts and bearings, in series: those of the hexapod with rigid legs."""
    screw = {"diameter": 0.01, "dead_length": 0.3, "nut": 3e8, "bearing": 2e8}
    springs = {"screw": screw, "joint_stiffness": {"base_axial": 1e8}}
    robot = bent_hexapod(changes=springs.items(), modes=0)
    stiff = robot.replace({f"legs[{k}].{part}.beam.modulus": 2e18
                           for k in range(6) for part in ("cylinder", "piston")})  # fmt: skip
    expected = gough.natural_modes(_rigid(robot), LOW).frequencies
    assert gough.natural_modes(stiff, LOW).frequencies[:6] == pytest.approx(expected, rel=1e-6)


def test_an_empty_flexibility_is_none():
    robot = bent_hexapod(legs=[0], modes=0)
    empty = gough.natural_modes(robot.replace(flexibility={})).frequencies
    assert empty.tolist() == gough.natural_modes(robot).frequencies.tolist()


def test_loads_on_the_platform_do_not_bend_legs_between_joints():
    robot = bent_hexapod(changes={"stiffness": 1e6}.items())
    bent, rigid = (gough.stiffness(one).matrix for one in (robot, _rigid(robot)))
    np.testing.assert_array_equal(bent, rigid)


def test_an_arm_deflects_by_the_energy_of_both_parts():
    """The moment goes over from piston to cylinder in proportion to the overlap."""
    l, (a, b) = 1.2, (0.8, 0.7)
    found = gough.stiffness(telescope(l, (a, b))).compliance
    x, dx = np.linspace(0, l, 400001, retstep=True)
    whole = np.array([l - x, np.ones_like(x)])
    share = np.clip((x - (l - b)) / (a - l + b), 0, 1)
    piston = whole * np.where(x > a, 1, 0) + np.outer([l - a, 1], share) * (x <= a)
    C = sum(np.trapezoid(m[:, None] * m / EI, dx=dx)
            for m, EI in zip((whole - piston, piston), BENDING, strict=True))  # fmt: skip
    assert found[np.ix_([1, 5], [1, 5])] == pytest.approx(C, rel=2e-5)
    assert found[2, 4] == pytest.approx(-C[0, 1], rel=2e-5)
    bent = gough.FlexibleMachine(telescope(l, (a, b), modes=8)).deflected(
        wrench=[0, -20, 0, 0, 0, 0]
    )
    assert bent.pose[1] == pytest.approx(-20 * C[0, 0], rel=3e-3)


def test_stiffness_counts_the_overlap_at_the_pose():
    robot = telescope(1.2)
    for length in (0.85, 1.45):
        found = gough.stiffness(robot, gough.pose([length, 0, 0])).compliance
        assert found == pytest.approx(gough.stiffness(telescope(length)).compliance, rel=1e-9)
    for length in (0.75, 1.55):
        with pytest.raises(gough.GoughError, match="parts of legs overlap"):
            gough.stiffness(robot, gough.pose([length, 0, 0]))


def test_a_map_of_stiffness_has_no_value_where_parts_do_not_overlap():
    limits = {"joints[1].stroke": [0.7, 1.6], "joints[0].range": [-0.5, 0.5]}
    found = stiffness_map(telescope().replace(limits), ("x", "y"), resolution=9)
    x, y = np.meshgrid(found.slice.first, found.slice.second, indexing="ij")
    length, known = np.hypot(x, y), np.isfinite(found.values)
    assert known.any()
    assert known[(length > 0.8) & (length < 1.5) & (np.abs(y) < 0.4 * x)].all()
    assert not known[(length < 0.8) | (length > 1.5)].any()


def test_two_derivations_have_the_same_modes_at_any_stroke():
    """Sliding points of the floating frames, and rows between the sections at a pose."""
    robot = telescope(modes=2)
    for pose in (robot.home, gough.pose([0.9, 0.3, 0], rpy=[0, 0, 0.7])):
        found = gough.natural_modes(gough.FlexibleMachine(robot), pose).frequencies
        assert found == pytest.approx(gough.natural_modes(robot, pose).frequencies, rel=1e-6)
    hexapod = bent_hexapod(legs=[0], modes=0)
    machine = gough.FlexibleMachine(hexapod)
    found = gough.natural_modes(machine, LOW).frequencies
    assert found == pytest.approx(gough.natural_modes(hexapod, LOW).frequencies, rel=1e-7)


def _moving_state(machine, pose):
    """Coordinates of a bent arm, and rates with which its piston slides on as it bends."""
    rng, z = np.random.default_rng(0), machine.at(pose)
    rigid = np.isin(machine.coordinates, ["hip", "slide", "hand"])
    scale = np.where(rigid, 1.0, 1e-3)
    z = z + scale * rng.standard_normal(len(z)) * ~rigid
    for _ in range(20):
        gaps, C, _ = machine.closing(z)
        z = z - ~rigid * least_norm(C * ~rigid, gaps)
    _, C, _ = machine.closing(z)
    rate = scale * rng.standard_normal(len(z)) * np.where(rigid, 1.0, 30.0)
    return z, rate - scale * least_norm(C * scale, C @ rate)


def test_power_of_the_motors_is_the_rate_of_the_energy():
    machine = gough.FlexibleMachine(telescope(modes=2, gravity=(0, -9.81, 0)))
    z, rate = _moving_state(machine, gough.pose([0.9, 0.3, 0], rpy=[0, 0, 0.7]))
    force = np.array([3.0, -20.0, 1.0])
    second = machine.forward_dynamics(z, rate, force)

    def power(h):
        ends = [machine.energy(z + s * rate + s**2 / 2 * second, rate + s * second).sum()
                for s in (-h, h)]  # fmt: skip
        return (ends[1] - ends[0]) / (2 * h)

    coarse, fine = power(4e-7), power(2e-7)
    assert fine + (fine - coarse) / 3 == pytest.approx(force @ rate[machine.motors], rel=1e-4)
    efforts, found = machine.inverse_dynamics(z, rate, second[machine.motors])
    assert efforts == pytest.approx(force, rel=1e-6)
    assert found == pytest.approx(second, rel=1e-6, abs=1e-6 * np.abs(second).max())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"legs[0].piston.beam": None}, r"piston.beam.length \(leg 1\): missing"),
        ({"legs[0].cylinder.beam.length": None}, r"cylinder.beam.length \(leg 1\): missing"),
        ({"legs[0].cylinder.beam.length": 0.3}, "leaves its cylinder"),
        ({"legs[0].cylinder.beam.length": 3.0}, "longer than its leg"),
        ({"legs[0].cylinder.beam.segments": 4}, "segments"),
        ({"legs[0].stroke": [0.9, 1.8]}, "leaves its cylinder of 0.9 m"),
        (
            {"legs[0].connector": {"stiffness": 1e6}},
            r"legs\[0\].connector.stiffness \(leg 1\): a compliant",
        ),
        ({"legs[1].joint_stiffness": {"base_bending": 3.0}}, r"legs\[1\].joint_stiffness.base"),
        ({"flexibility": {"base": [1e-8] * 6}}, "flexibility.base: a compliant frame"),
    ],
)
def test_what_cannot_bend_is_refused(change, words):
    with pytest.raises(gough.GoughError, match=words):
        gough.natural_modes(bent_hexapod(legs=[0]).replace(change))


def test_a_pose_at_which_a_piston_leaves_its_cylinder_is_refused():
    with pytest.raises(gough.GoughError, match=r"slide-1: a piston of 0\.8 m leaves its cylinder"):
        gough.natural_modes(bent_hexapod(legs=[0]), gough.pose([0, 0, 1.9]))


@pytest.mark.parametrize("lengths", [(0.9, 1.0), (1.0, 0.9)])
def test_a_pose_at_which_a_part_is_longer_than_its_leg_is_refused(lengths):
    robot = bent_hexapod(lengths, legs=[0], modes=0)
    for z in (0.6, 0.7):
        assert leg_length(robot, 0, gough.pose([0, 0, z])) < 1.0
        with pytest.raises(gough.GoughError, match="a part of 1 m is longer than its leg"):
            gough.natural_modes(robot, gough.pose([0, 0, z]))


def test_beams_given_for_telescoping_legs_are_refused():
    hexapod, beam = bent_hexapod(legs=[0]), gough.BeamStiffness(bending=100.0)
    with pytest.raises(gough.GoughError, match="beams are given for cylinder-1; expected those of"):
        gough.FlexibleMachine(hexapod, {"cylinder-1": beam})
    with pytest.raises(gough.GoughError, match=r"cylinder.*: segments.* in a telescoping leg"):
        gough.FlexibleMachine(telescope(), segments=4)
    with pytest.raises(gough.GoughError, match="modes given for crank-left, a beam of segments"):
        gough.FlexibleMachine(gough.load("five-bar"), {"crank-left": beam}, modes=1, segments=4)


def test_of_many_poses_only_those_are_known_at_which_the_parts_overlap():
    robot = bent_hexapod(legs=[0], modes=0)
    poses = np.array([gough.pose([0, 0, z]) for z in (1.0, 1.9)])
    found = gough.natural_modes(robot, poses).frequencies
    assert np.isfinite(found).all(1).tolist() == [True, False]
    with pytest.raises(gough.GoughError, match="a piston leaves its cylinder"):
        gough.FlexibleMachine(telescope(modes=0)).at(gough.pose([1.6, 0, 0]))


def test_shapes_can_be_plotted():
    axes = gough.natural_modes(bent_hexapod(legs=[0, 1], modes=2)).plot(1, 5)
    assert len(axes) == 2


def test_a_part_that_slides_on_no_other_has_no_length():
    data = telescope().to_dict()
    del data["bodies"][0]["beam"]
    with pytest.raises(gough.GoughError, match=r"bodies\[1\].beam.length: a part of no telescop"):
        gough.Robot.from_dict(data)
    data = telescope().to_dict()
    data["joints"][1]["bearing"] = {"radial": 1e6}
    with pytest.raises(gough.GoughError, match=r"joints\[1\].bearing: a bearing between"):
        gough.Robot.from_dict(data)


def test_a_screw_shorter_than_its_dead_length_is_refused():
    screw = {"screw": {"diameter": 0.01, "dead_length": 1.1}}
    robot = bent_hexapod(legs=[0], changes=screw.items())
    with pytest.raises(
        gough.GoughError, match=r"shorter than the dead length of its screw, 1\.1 m"
    ):
        gough.natural_modes(robot, gough.pose([0, 0, 0.85]))


def test_a_plant_of_bent_legs_is_held_nearly_as_a_rigid_one():
    robot = bent_hexapod(legs=[0], modes=0).replace(gravity=[0, 0, -9.81])
    with pytest.raises(gough.GoughError, match="legs are 'complete'"):
        gough.simulation.real_plant(robot, legs="complete", links="flexible")
    plant = gough.simulation.real_plant(robot, links="flexible", drives=False)
    assert "cylinder-1.y" in plant.transmission.states[0].meaning
    held = plant.transmission.holding_forces(robot, np.array([]), np.array(robot.home))
    rigid = gough.Model(robot).inverse_dynamics(robot.home)
    assert held == pytest.approx(rigid, rel=1e-3)
