"""Points and turns that workspaces are found with: even ones, without SciPy's imports."""

import subprocess
import sys

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from scipy.stats import qmc

from gough.kinematics.workspace.rays import even_points, random_turns


@pytest.mark.parametrize("d", [2, 3])
def test_points_are_spread_more_evenly_than_drawn_ones(d):
    drawn = np.random.default_rng(0).random((256, d))
    assert qmc.discrepancy(even_points(d, 256)) < qmc.discrepancy(drawn) / 4
    assert np.ptp(even_points(d, 256), axis=0).min() > 0.98


def test_turns_of_space_are_those_of_scipy():
    turns = random_turns(3, 8, np.random.default_rng(16))
    assert np.array_equal(turns, Rotation.random(8, rng=np.random.default_rng(16)).as_matrix())


def test_turns_of_the_plane_are_those_of_scipy():
    turns = random_turns(2, 8, np.random.default_rng(16))
    angles = np.random.default_rng(16).uniform(0, 2 * np.pi, 8)
    about_z = Rotation.from_rotvec(np.outer(angles, [0.0, 0.0, 1.0])).as_matrix()
    np.testing.assert_allclose(turns, about_z[:, :2, :2], rtol=0, atol=1e-15)


def test_a_workspace_imports_nothing_slow():
    """SciPy, Matplotlib and python-control take longer to import than a small workspace."""
    code = (
        "import sys\n"
        "from gough.kinematics import constant_orientation_workspace\n"
        "found = {'scipy', 'matplotlib', 'control', 'pandas', 'pyarrow'} & set(sys.modules)\n"
        "sys.exit(', '.join(found))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == ""
