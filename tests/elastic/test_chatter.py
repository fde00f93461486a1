"""Stability lobes against the textbook's single mode, the characteristic equation and time."""

import numpy as np
import pytest

import gough
from gough.elastic import Cut, chatter_map, stability_lobes

K, M, ZETA = 5e6, 8.0, 0.03
STEEL = 8e8


def system_of(stiffness, damping):
    """A mass on springs along x and y, with the names of an `elastic_state_space`."""
    k, d = np.diag(stiffness), np.diag(damping)
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-k / M, -d / M]])
    B = np.zeros((4, 6))
    B[2:, :2] = np.eye(2) / M
    C = np.zeros((6, 4))
    C[:2, :2] = np.eye(2)
    moves = ("x", "y", "z", "rx", "ry", "rz")
    import control  # slow to import

    return control.ss(
        A, B, C, 0, inputs=[f"{m}_wrench" for m in moves], outputs=list(moves), states=4
    )


def mass_on_springs(ratio=1.7):
    stiffness = np.array([K, K * ratio])
    return stiffness, 2 * ZETA * np.sqrt(stiffness * M)


def receptance(hertz, stiffness, damping):
    w = 2 * np.pi * hertz
    return np.diag(1 / (stiffness - M * w**2 + 1j * w * damping))


def mean_by_sums(cut, n=200_000):
    """A of the cut by adding up teeth at many angles."""
    phi = cut.entry + (np.arange(n) + 0.5) / n * (cut.exit - cut.entry)
    out, along = np.array([np.sin(phi), np.cos(phi)]), np.array([np.cos(phi), -np.sin(phi)])
    return (
        (along + cut.radial_ratio * out)
        @ out.T
        * (cut.exit - cut.entry)
        / n
        * cut.teeth
        / 2
        / np.pi
    )


@pytest.mark.parametrize(
    "cut",
    [Cut(3, STEEL), Cut.up(0.3, teeth=4, specific_force=STEEL),
     Cut.down(0.1, teeth=2, specific_force=STEEL, radial_ratio=0.5)],
)  # fmt: skip
def test_coefficients_are_the_mean_of_the_teeth(cut):
    np.testing.assert_allclose(cut.coefficients, mean_by_sums(cut), rtol=1e-9, atol=1e-9)


def test_half_immersions_up_and_down_are_halves_of_a_groove():
    up, down = (make(0.5, teeth=4, specific_force=STEEL) for make in (Cut.up, Cut.down))
    whole = Cut(4, STEEL).coefficients
    np.testing.assert_allclose(up.coefficients + down.coefficients, whole, atol=1e-15)


@pytest.mark.parametrize("cut", [Cut(3, STEEL), Cut.down(0.3, teeth=4, specific_force=STEEL)])
def test_limits_satisfy_the_characteristic_equation(cut):
    springs = mass_on_springs()
    found = stability_lobes(system_of(*springs), cut, np.linspace(2000, 20000, 41))
    assert np.isfinite(found.depths).all()
    for n, b, f in zip(found.speeds, found.depths, found.frequencies, strict=True):
        delayed = 1 - np.exp(-2j * np.pi * f * 60 / (n * cut.teeth))
        G = receptance(f, *springs)
        det = np.linalg.det(np.eye(2) + STEEL * b * delayed * cut.coefficients @ G)
        assert abs(det) < 1e-9
    assert (found.depths >= found.minimum_depth * (1 - 1e-9)).all()


def grows(cut, n, b, springs):
    """Whether vibration grows in time, the equation with its delay integrated by itself."""
    stiffness, damping = springs
    period = 60 / (n * cut.teeth)
    steps = 400
    h = period / steps
    A = STEEL * b * mean_by_sums(cut)
    x, v, past = np.array([1e-6, 1e-6]), np.zeros(2), [np.zeros(2)] * (steps + 1)
    sizes = []
    for _ in range(80):
        largest = 0.0
        for _ in range(steps):
            force = -A @ (x - past[-steps])
            v = v + h * (force - stiffness * x - damping * v) / M  # symplectic Euler
            x = x + h * v
            past.append(x)
            largest = max(largest, abs(x).max())
        past = past[-steps - 1 :]
        sizes.append(largest)
    return np.mean(sizes[-10:]) > np.mean(sizes[-30:-20])


@pytest.mark.parametrize("n", [4300.0, 9000.0])
def test_cuts_beside_a_limit_die_out_and_grow_in_time(n):
    cut, springs = Cut.down(0.4, teeth=3, specific_force=STEEL), mass_on_springs()
    limit = stability_lobes(system_of(*springs), cut, [n]).depths[0]
    assert not grows(cut, n, 0.9 * limit, springs)
    assert grows(cut, n, 1.1 * limit, springs)


def test_no_depth_below_the_minimum_has_a_limit():
    cut = Cut(3, STEEL)
    found = stability_lobes(system_of(*mass_on_springs()), cut, np.linspace(1500, 4000, 301))
    assert found.depths.min() == pytest.approx(found.minimum_depth, rel=1e-3)
    assert found.is_stable(0.99 * found.minimum_depth).all()


def test_a_hexapod_s_own_response_has_lobes():
    robot = gough.load("demo-hexapod")
    system = gough.elastic_state_space(robot, damping_ratio=0.02, tool=[0, 0, 0.1])
    cut = Cut.up(0.5, teeth=2, specific_force=6e8)
    found = stability_lobes(system, cut, np.linspace(2000, 12000, 11))
    assert np.isfinite(found.depths).all()
    assert (found.depths >= found.minimum_depth * (1 - 1e-9)).all()
    assert "rev/min" in found.report()
    assert found.plot(ax=found.plot()).lines[1].get_xdata().tolist() == found.speeds.tolist()


def test_a_map_has_the_depths_of_single_poses():
    robot, cut = gough.load("demo-hexapod"), Cut.up(0.5, teeth=2, specific_force=6e8)
    options = {"damping_ratio": 0.02, "tool": [0, 0, 0.1]}
    found = chatter_map(robot, ("x", "z"), cut, resolution=5, connectors="rigid", **options)
    inside = np.isfinite(found.values)
    assert inside.any()
    assert not inside.all()
    i, j = np.argwhere(inside)[0]
    pose = gough.pose([found.slice.first[i], 0, found.slice.second[j]])
    system = gough.elastic_state_space(robot, pose, connectors="rigid", **options)
    there = stability_lobes(system, cut, [3000]).minimum_depth
    assert found.values[i, j] == pytest.approx(there, rel=1e-6)
    assert found.unit == "m"


def test_a_map_needs_damping_and_a_stable_machine():
    robot = gough.load("bingul-2012").replace({"leg.stiffness": "1 N/um"})
    where = {"axes": ("x", "z"), "cut": Cut(3, STEEL), "resolution": 5}
    with pytest.raises(gough.GoughError, match="damping_ratio"):
        chatter_map(robot, **where)
    crushed = chatter_map(robot, **where, damping_ratio=0.02, wrench=[0, 0, -1e9, 0, 0, 0])
    depths = crushed.values[np.isfinite(crushed.values)]
    assert depths.size
    assert (depths == 0).all()


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ({"teeth": 0}, "teeth"),
        ({"specific_force": -1.0}, "specific_force"),
        ({"entry": 2.0, "exit": 1.0}, "entry"),
        ({"feed": (0, 0, 2)}, "parallel"),
    ],
)
def test_bad_cuts_are_refused(numbers, words):
    with pytest.raises(gough.GoughError, match=words):
        Cut(**{"teeth": 3, "specific_force": STEEL, **numbers})


def test_an_undamped_machine_is_refused():
    with pytest.raises(gough.GoughError, match="damping_ratio"):
        stability_lobes(system_of([K, K], [0.0, 0.0]), Cut(3, STEEL), [3000])
