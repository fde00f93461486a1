"""Tasks against calculations by hand."""

import numpy as np
import pytest
from motion_checks import HOME, TILTED

import gough
from gough.motion import (
    Constant,
    Contact,
    Cycloidal,
    During,
    Machining,
    MotionError,
    MotionSamples,
    Payload,
    Place,
    Polishing,
    Quintic,
    Sinusoidal,
    Tabulated,
    carrying,
    line,
    rotation,
    total_wrench,
)

R = gough.rotation(TILTED).as_matrix()
AT_TILTED = MotionSamples(TILTED, np.zeros(6), np.zeros(6))


def moving(velocity, pose=HOME, omega=(0, 0, 0)):
    return MotionSamples(np.array(pose), np.array([*velocity, *omega], float), np.zeros(6))


# Loads


def test_a_constant_load_at_the_origin_is_itself():
    task = Constant((1.0, 2.0, 3.0), (4.0, 5.0, 6.0))
    assert task.wrench(0.3, AT_TILTED) == pytest.approx([1, 2, 3, 4, 5, 6])


@pytest.mark.parametrize("frame", ["base", "platform"])
@pytest.mark.parametrize("point_frame", ["base", "platform"])
def test_a_point_force_follows_what_it_is_told_to(frame, point_frame):
    force, point = np.array([10.0, -3.0, 5.0]), np.array([0.2, 0.1, -0.4])
    task = Constant(tuple(force), place=Place(frame, tuple(point), point_frame))
    F = R @ force if frame == "platform" else force
    arm = R @ point if point_frame == "platform" else point - TILTED[:3]
    expected = np.concatenate([F, np.cross(arm, F)])
    assert task.wrench(0.0, AT_TILTED) == pytest.approx(expected, abs=1e-14)


def test_a_moment_does_not_depend_on_the_point():
    place = Place("platform", (1.0, 2.0, 3.0))
    wrench = Constant((0.0, 0.0, 0.0), (0.0, 0.0, 2.0), place).wrench(0.0, AT_TILTED)
    assert wrench == pytest.approx(np.concatenate([np.zeros(3), R @ [0, 0, 2]]))


def test_a_sinusoidal_load_swings():
    task = Sinusoidal(5.0, force=(0.0, 0.0, 100.0), phase=np.pi / 2)
    t = np.linspace(0, 0.4, 9)
    samples = MotionSamples(np.tile(TILTED, (9, 1)), np.zeros((9, 6)), np.zeros((9, 6)))
    assert task.wrench(t, samples)[:, 2] == pytest.approx(100 * np.cos(10 * np.pi * t))


def test_a_table_is_interpolated_and_zero_outside():
    task = Tabulated((1.0, 2.0, 4.0), ((0, 0, 0), (0, 0, 10), (4, 0, 10)), ((0, 0, 0),) * 3)
    t = np.array([0.5, 1.5, 3.0, 4.0, 4.1])
    samples = MotionSamples(np.tile(HOME, (5, 1)), np.zeros((5, 6)), np.zeros((5, 6)))
    wrench = task.wrench(t, samples)
    assert wrench[:, 2] == pytest.approx([0, 5, 10, 10, 0])
    assert wrench[:, 0] == pytest.approx([0, 0, 2, 4, 0])


def test_a_task_can_act_for_a_while_only():
    task = During(Constant((1.0, 0.0, 0.0)), 1.0, 2.0)
    t = np.array([0.9, 1.0, 2.0, 2.1])
    samples = MotionSamples(np.tile(HOME, (4, 1)), np.zeros((4, 6)), np.zeros((4, 6)))
    assert task.wrench(t, samples)[:, 0] == pytest.approx([0, 1, 1, 0])


def test_wrenches_add_up():
    tasks = (Constant((1.0, 0.0, 0.0)), Constant((0.0, 2.0, 0.0)), Payload(1.0))
    assert total_wrench(tasks, 0.0, AT_TILTED) == pytest.approx([1, 2, 0, 0, 0, 0])
    assert total_wrench((), np.zeros((2, 3)), AT_TILTED).shape == (2, 3, 6)


# Polishing


def test_polishing_is_baiges_wrench():
    F_n, mu, a = 50.0, 0.2, 0.1
    task = Polishing(F_n, mu, Contact(point=(0.0, 0.0, a)))
    t = np.array([0.6, 0.8, 0.0])
    expected = [*(-F_n * (np.array([0, 0, 1]) + mu * t)), *np.cross([0, 0, a], -F_n * mu * t)]
    assert task.wrench(0.0, moving(0.3 * t)) == pytest.approx(expected, abs=1e-9)


def test_polishing_along_an_arc_rubs_along_the_arc():
    axis, arc = np.array([1.0, 0, 0]), (-0.6, 0.6)
    motion = rotation(HOME, axis, [0, 0, 1.5], arc, Cycloidal(2.0))
    task = Polishing(40.0, 0.3, Contact(point=(0.0, 0.0, 0.1)))
    t = np.linspace(0.3, 1.7, 15)
    samples = motion(t)
    Z = gough.rotation(samples.pose).apply([0, 0, 1])
    along = np.cross(Z, axis)  # Baiges' direction of travel
    assert (samples.twist[:, 1] > 0).all()
    force = -40 * (Z + 0.3 * along)
    expected = np.concatenate([force, np.cross(0.1 * Z, -40 * 0.3 * along)], axis=-1)
    assert task.wrench(t, samples) == pytest.approx(expected, abs=1e-7)


def test_friction_always_takes_energy_and_fades_at_rest():
    motion = line(HOME, [0.2, 0.1, 0], Quintic(1.0))
    samples = motion(np.linspace(0, 1, 21))
    wrench = Polishing(10.0, 0.5).wrench(np.linspace(0, 1, 21), samples)
    power = (wrench * samples.twist).sum(-1)
    assert (power[1:-1] < 0).all()
    assert np.abs(wrench[[0, -1], :2]).max() < 1e-6
    assert wrench[:, 2] == pytest.approx(np.full(21, -10.0))


# Machining


def test_the_resultant_is_specific_force_times_depth_times_feed_against_the_travel():
    K_s, b, f_z, a = 1.5e9, 2e-3, 1e-4, 0.15
    task = Machining(
        specific_force=K_s, depth=b, feed_per_tooth=f_z, contact=Contact(point=(0, 0, a))
    )
    wrench = task.wrench(0.0, moving([0.0, 0.01, 0.0]))
    F = K_s * b * f_z  # 300 N
    assert wrench == pytest.approx([0, -F, 0, a * F, 0, 0], rel=1e-6)


def test_a_direction_that_turns_with_the_platform_is_baiges_arc():
    contact = Contact((0.0, 0.0, 0.2), direction=(0, 1, 0), direction_frame="platform")
    task = Machining(force=889.6, contact=contact)
    motion = rotation(HOME, [1, 0, 0], [0, 0, 1.5], [-0.7, 0.7], Quintic(5.0))
    t = np.linspace(0, 5, 11)
    turned = gough.rotation(motion(t).pose)
    along, Z = turned.apply([0, 1, 0]), turned.apply([0, 0, 1])
    expected = np.concatenate([-889.6 * along, np.cross(0.2 * Z, -889.6 * along)], axis=-1)
    assert task.wrench(t, motion(t)) == pytest.approx(expected, abs=1e-10)  # also at its ends


def milled(form, t=0.0, teeth=4, velocity=(0.02, 0.0, 0.0), **more):
    numbers = {"force": 300.0, "spindle_speed": 100.0, "radial_ratio": 0.4} | more
    return Machining(form=form, teeth=teeth, **numbers).wrench(t, moving(velocity))


def test_one_tooth_straight_ahead_drags_across_the_travel_and_pushes_against_it():
    # The workpiece travels along +x, so the cutter feeds along -x. Seen from above it turns
    # clockwise: its foremost tooth, at -x, goes towards +y and takes the full chip.
    quarter = np.pi / 2 / 100.0
    wrench = milled("teeth", quarter, teeth=1, cutter_radius=0.01)
    assert wrench[:3] == pytest.approx([-0.4 * 300, 300, 0], rel=1e-6)
    assert wrench[5] == pytest.approx(-0.01 * 300, rel=1e-6)


def test_a_tooth_behind_the_cutter_cuts_nothing():
    assert milled("teeth", 3 * np.pi / 2 / 100.0, teeth=1) == pytest.approx(np.zeros(6))


@pytest.mark.parametrize("teeth", [4, 6, 8])
def test_the_force_of_an_even_number_of_teeth_is_constant(teeth):
    for t in np.linspace(0, 0.05, 17):
        wrench = milled("teeth", t, teeth)
        expected = 300 * teeth / 4 * np.array([-0.4, 1, 0])
        assert wrench[:3] == pytest.approx(expected, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("teeth", [1, 2, 3, 4, 5])
def test_the_mean_is_the_mean_over_a_turn_of_the_teeth(teeth):
    t = np.arange(5000) / 5000 * 2 * np.pi / 100
    samples = MotionSamples(
        np.tile(HOME, (5000, 1)), np.tile([0.02, 0, 0, 0, 0, 0], (5000, 1)), np.zeros((5000, 6))
    )
    task = {"force": 300.0, "spindle_speed": 100.0, "teeth": teeth, "cutter_radius": 0.01}
    turn = Machining(form="teeth", **task).wrench(t, samples).mean(0)
    assert Machining(form="mean", **task).wrench(0.0, moving([0.02, 0, 0])) == pytest.approx(
        turn, rel=1e-6, abs=1e-6
    )


@pytest.mark.parametrize("milling", ["up", "down"])
@pytest.mark.parametrize("immersion", [0.1, 0.5, 0.8, 1.0])
def test_the_mean_of_a_shoulder_is_the_mean_over_a_turn_of_its_teeth(immersion, milling):
    t = np.arange(20000) / 20000 * 2 * np.pi / 100
    samples = MotionSamples(
        np.tile(HOME, (20000, 1)), np.tile([0.02, 0, 0, 0, 0, 0], (20000, 1)), np.zeros((20000, 6))
    )
    cutter = {"cutter_radius": 0.01, "immersion": immersion, "milling": milling}
    task = {"force": 300.0, "spindle_speed": 100.0, "teeth": 3, **cutter}
    turn = Machining(form="teeth", **task).wrench(t, samples).mean(0)
    mean = Machining(form="mean", **task).wrench(0.0, moving([0.02, 0, 0]))
    assert mean == pytest.approx(turn, abs=300 * 3 / 20000)


@pytest.mark.parametrize("milling", ["up", "down"])
@pytest.mark.parametrize("immersion", [0.2, 0.6, 1.0])
def test_the_torque_does_the_work_of_the_material_removed(immersion, milling):
    K_s, b, f_z, radius, omega, teeth = 1.5e9, 2e-3, 1e-4, 8e-3, 300.0, 3
    numbers = {"specific_force": K_s, "depth": b, "feed_per_tooth": f_z, "teeth": teeth}
    cutter = {"cutter_radius": radius, "immersion": immersion, "milling": milling}
    task = Machining(form="mean", spindle_speed=omega, **numbers, **cutter)
    torque = task.wrench(0.0, moving([0.02, 0, 0]))[5]
    feed_speed = f_z * teeth * omega / (2 * np.pi)
    removed = b * immersion * 2 * radius * feed_speed  # [m³/s]
    assert -torque * omega == pytest.approx(K_s * removed)


def test_teeth_cut_before_the_middle_in_up_milling_and_behind_it_in_down_milling():
    for milling, before, behind in (("up", True, False), ("down", False, True)):
        for angle, cuts in ((np.pi / 4, before), (3 * np.pi / 4, behind)):
            wrench = milled("teeth", angle / 100, teeth=1, immersion=0.5, milling=milling)
            assert (np.abs(wrench).max() > 0) == cuts


def test_a_resultant_is_that_of_a_full_groove():
    with pytest.raises(MotionError) as refused:
        Machining(force=1.0, immersion=0.5)
    assert refused.value.key == "form"


def test_without_a_feed_per_tooth_it_follows_from_the_speeds():
    # 0.02 m/s, 4 teeth, 20 turns/s: 0.25 mm per tooth
    task = Machining(specific_force=1e9, depth=1e-3, spindle_speed=2 * np.pi * 20)
    assert task.wrench(0.0, moving([0.02, 0, 0]))[0] == pytest.approx(-250, rel=1e-6)
    assert task.wrench(0.0, moving([0.0, 0, 0])) == pytest.approx(np.zeros(6))


def test_a_tool_in_the_base_has_the_arm_from_the_platform_to_the_tool():
    task = Machining(force=100.0, contact=Contact((0.1, 0.2, 1.3), "base"))
    pose = gough.pose([0.3, 0.0, 1.0])
    wrench = task.wrench(0.0, moving([1.0, 0, 0], pose))
    force = np.array([-100.0, 0, 0])
    assert wrench[3:] == pytest.approx(np.cross([-0.2, 0.2, 0.3], force), rel=1e-6)


# Payloads


def test_a_payload_joins_the_platform():
    robot = gough.load("kalani-2016")
    m, c, I = 2.0, np.array([0.1, -0.2, 0.3]), np.diag([0.02, 0.03, 0.04])
    joined = Payload(m, tuple(c), tuple(np.diag(I))).carried_by(robot)
    own = robot.platform
    assert joined.platform.mass == own.mass + m
    center = (own.mass * np.array(own.center_of_mass) + m * c) / (own.mass + m)
    assert joined.platform.center_of_mass == pytest.approx(center)
    about_origin = np.array(own.inertia) + own.mass * _shift(own.center_of_mass)
    about_origin = about_origin + I + m * _shift(c)
    found = np.array(joined.platform.inertia) + (own.mass + m) * _shift(center)
    assert found == pytest.approx(about_origin)


def _shift(d):
    d = np.array(d)
    return d @ d * np.eye(3) - np.outer(d, d)


def test_a_payload_at_rest_weighs_as_much_as_a_force_at_its_mass_centre():
    robot = gough.load("kalani-2016")
    payload = Payload(2.0, (0.1, -0.05, 0.2))
    weight = Constant((0, 0, -2 * 9.81), place=Place(point=(0.1, -0.05, 0.2)))
    pose = gough.pose([0.05, 0, 1], rpy=[0.1, 0.2, 0])
    samples = MotionSamples(pose, np.zeros(6), np.zeros(6))
    carried = gough.Model(carrying(robot, [payload])).inverse_dynamics(pose)
    pushed = gough.Model(robot).inverse_dynamics(
        pose, np.zeros(6), np.zeros(6), weight.wrench(0, samples)
    )
    assert carried == pytest.approx(pushed, rel=1e-10)
    assert not payload.wrench(0.0, samples).any()


# What is refused


@pytest.mark.parametrize(
    ("make", "key"),
    [
        (lambda: Constant((1.0, 2.0)), "force"),
        (lambda: Constant(moment=(1.0, 2.0, float("inf"))), "moment"),
        (lambda: Place(frame="world"), "frame"),
        (lambda: Place(point=(1, 2)), "point"),
        (lambda: Place(point_frame="tool"), "point_frame"),
        (lambda: Sinusoidal(0.0), "frequency"),
        (lambda: Tabulated((0, 0), ((0, 0, 0),) * 2, ((0, 0, 0),) * 2), "times[1]"),
        (lambda: Tabulated((0, 1), ((0, 0, 0),), ((0, 0, 0),) * 2), "forces"),
        (lambda: During(Payload(1.0), 2, 1), "active"),
        (lambda: Polishing(-1.0, 0.1), "normal_force"),
        (lambda: Polishing(1.0, -0.1), "friction"),
        (lambda: Contact(normal=(0, 0, 0)), "normal"),
        (lambda: Contact(direction=(0, 0, 0)), "direction"),
        (lambda: Contact(fade_speed=0), "fade_speed"),
        (lambda: Machining(), "specific_force"),
        (lambda: Machining(specific_force=1e9), "depth"),
        (lambda: Machining(specific_force=1e9, depth=1e-3), "spindle_speed"),
        (lambda: Machining(force=1.0, depth=1e-3), "force"),
        (lambda: Machining(force=-1.0), "force"),
        (lambda: Machining(force=1.0, form="teeth"), "spindle_speed"),
        (lambda: Machining(force=1.0, form="whole"), "form"),
        (lambda: Machining(force=1.0, teeth=0), "teeth"),
        (lambda: Payload(-1.0), "mass"),
        (lambda: Payload(1.0, inertia=(1, 1, 3)), "inertia"),
    ],
)
def test_a_wrong_task_is_refused_with_its_key(make, key):
    with pytest.raises(MotionError) as caught:
        make()
    assert caught.value.key == key


# Periods


def over(task, t):
    """A task's wrenches while the platform travels steadily, tilted."""
    along = np.broadcast_to([0.02, 0.01, 0.0, 0.0, 0.0, 0.0], (len(t), 6))
    samples = MotionSamples(np.tile(TILTED, (len(t), 1)), along, np.zeros((len(t), 6)))
    return task.wrench(t, samples)


@pytest.mark.parametrize(
    "task",
    [
        Sinusoidal(5.0, force=(1.0, 2.0, 3.0), phase=0.3),
        During(Sinusoidal(7.0, moment=(1.0, 2.0, 3.0)), 0.0, 10.0),
        *(
            Machining(force=10.0, form="teeth", teeth=n, spindle_speed=100 * np.pi, cutter_radius=r)
            for n, r in [(1, 0.0), (2, 0.0), (3, 0.0), (5, 0.0), (4, 0.01), (6, 0.01)]
        ),
    ],
)
def test_a_task_comes_again_after_its_period_and_not_before(task):
    t = np.linspace(0.01, 0.3, 777)
    now, later = over(task, t), over(task, t + task.period)
    assert later == pytest.approx(now, abs=1e-9)
    for part in (2, 3, 5):
        assert np.abs(over(task, t + task.period / part) - now).max() > 1e-3


def test_the_teeth_of_a_mill_pass_so_often():
    mill = Machining(force=1.0, form="teeth", teeth=3, spindle_speed=3000 * 2 * np.pi / 60)
    assert mill.period == pytest.approx(60 / (3000 * 3))


@pytest.mark.parametrize("teeth", [4, 6, 8])
def test_an_even_number_of_teeth_without_torque_is_steady_and_has_no_period(teeth):
    mill = Machining(force=10.0, form="teeth", teeth=teeth, spindle_speed=300.0)
    wrench = over(mill, np.linspace(0, 0.1, 777))
    assert np.ptp(wrench, axis=0) == pytest.approx(np.zeros(6), abs=1e-12)
    assert mill.period is None


@pytest.mark.parametrize(
    "task", [Constant((1.0, 0.0, 0.0)), Payload(3.0), Machining(force=1.0, spindle_speed=300.0)]
)
def test_what_is_steady_has_no_period_and_acts_always(task):
    assert task.period is None
    assert task.active == (-np.inf, np.inf)


def test_a_task_is_active_while_it_does_something():
    table = Tabulated((1.0, 2.0, 4.0), ((1.0, 0.0, 0.0),) * 3, ((0.0, 0.0, 0.0),) * 3)
    assert table.active == (1.0, 4.0)
    assert During(table, 0.0, 3.0).active == (1.0, 3.0)
    assert During(Constant(), 0.5, 3.0).active == (0.5, 3.0)
