"""What forces can tell of what bodies weigh: how many sums, which ones, and that they suffice."""

import numpy as np
import pytest
from dynamic_robots import model

import gough
from gough.errors import GoughError
from gough.identification.base import groups, in_words, independent


@pytest.fixture(scope="module")
def demo():
    return gough.load("demo-hexapod")


def without_inertia_across(robot):
    """The same robot on SPS legs, which are symmetric."""
    data = robot.to_dict()
    leg = data["leg"]
    leg["kind"] = "SPS"
    for part in ("cylinder", "piston"):
        leg[part]["inertia"] = [0.3, 0.3, 0.02]
    for each in data["legs"]:
        each.pop("first_axis", None)
    return gough.Robot.from_dict(data)


def test_counts_are_those_of_the_books(demo):
    """A piston's mass moves as a point of the platform, a leg's inertias add up.

    Platform 10, of each UPS leg two first moments and six inertias, of each SPS leg one inertia.
    """
    spherical = without_inertia_across(demo)
    weightless = demo.replace(gravity=(0.0, 0.0, 0.0))
    found = {
        name: len(gough.base_parameters(robot, legs=legs).names)
        for name, robot, legs in (
            ("UPS", demo, "independent"),
            ("UPS identical", demo, "identical"),
            ("UPS without gravity", weightless, "independent"),
            ("SPS", spherical, "independent"),
            ("SPS identical", spherical, "identical"),
        )
    }
    expected = {"UPS": 58, "UPS identical": 18, "UPS without gravity": 52}
    assert found == expected | {"SPS": 28, "SPS identical": 13}


def test_a_piston_is_felt_as_a_point_of_the_platform(demo):
    base = gough.base_parameters(demo)
    factors = base.matrix[base.names.index("platform.first_moment.x")]
    row = dict(zip(base.free, factors, strict=True))
    for k, leg in enumerate(demo.legs):
        assert row[f"legs[{k}].piston.mass"] == pytest.approx(leg.platform[0], abs=1e-9)
        assert row[f"legs[{k}].cylinder.mass"] == 0.0


def test_base_parameters_determine_all_forces(demo):
    """Whatever is added to standard parameters that no sum feels changes no force."""
    base, m = gough.base_parameters(demo), gough.Model(demo)
    rng = np.random.default_rng(5)
    unseen = rng.standard_normal(106)
    unseen -= np.linalg.pinv(base.matrix) @ (base.matrix @ unseen)
    assert np.linalg.norm(unseen) > 1
    Y = m.regressor(demo.home, *rng.standard_normal((2, 6)))
    assert np.abs(Y @ unseen).max() < 1e-10 * np.abs(Y).max()


def test_a_motion_without_turning_shows_no_inertia_of_the_platform(demo):
    rng = np.random.default_rng(6)
    twist, acceleration = rng.standard_normal((2, 300, 6))
    twist[:, 3:] = acceleration[:, 3:] = 0.0
    poses = np.array(demo.home) + np.pad(0.05 * rng.standard_normal((300, 3)), ((0, 0), (0, 4)))
    base = gough.base_parameters(demo, legs="identical", motion=(poses, twist, acceleration))
    barely = dict(zip(base.names, base.barely, strict=True))
    assert all(barely[name] for name in base.names if "origin_inertia" in name)
    assert not barely["platform.mass"]
    assert base.condition > 1e9


def test_a_planar_machine_shows_one_inertia_of_each_body_at_most():
    """Of 3-RRR, which moves in a plane without gravity across it, no inertia but about z counts."""
    base = gough.base_parameters(gough.load("planar-3rrr"))
    inertias = [name for name in base.names if "inertia" in name]
    assert inertias
    assert all(name.endswith("zz") for name in inertias)


def test_columns_that_are_sums_are_found_with_their_factors():
    rng = np.random.default_rng(7)
    a, b = rng.standard_normal((2, 20))
    columns = np.column_stack([a, 1e-6 * b, 2 * a - 3e-6 * b, 0 * a])
    kept = independent(columns)
    assert list(kept) == [0, 1]
    K = groups(columns, kept)
    np.testing.assert_allclose(K, [[1, 0, 2, 0], [0, 1, -3, 0]], atol=1e-9)
    assert in_words(K[1], ["a", "b", "c", "d"]) == "b - 3 c"


def test_legs_that_cannot_be_alike_are_refused():
    with pytest.raises(GoughError, match="expected 'independent' or 'identical'"):
        gough.base_parameters(gough.load("demo-hexapod"), legs="alike")
    with pytest.raises(GoughError, match="none of its legs is another one, turned or mirrored"):
        gough.base_parameters(gough.load("five-bar"), legs="identical")
    with pytest.raises(GoughError, match="several kinds"):
        gough.base_parameters(model("mixed").robot, legs="identical")
