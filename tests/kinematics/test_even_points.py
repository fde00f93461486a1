"""Points and turns that workspaces are found with: those that SciPy draws, without its imports."""

import subprocess
import sys

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from scipy.stats import qmc

from gough.kinematics.workspace.rays import few_points, random_turns


@pytest.mark.parametrize("d", [2, 3])
def test_stored_points_are_the_first_of_scipy(d):
    drawn = qmc.Sobol(d, rng=np.random.default_rng(0)).random(32)
    assert np.array_equal(few_points(d), drawn)


def test_turns_of_space_are_those_of_scipy():
    turns = random_turns(3, 8, np.random.default_rng(16))
    assert np.array_equal(turns, Rotation.random(8, rng=np.random.default_rng(16)).as_matrix())


def test_turns_of_the_plane_are_those_of_scipy():
    turns = random_turns(2, 8, np.random.default_rng(16))
    angles = np.random.default_rng(16).uniform(0, 2 * np.pi, 8)
    about_z = Rotation.from_rotvec(np.outer(angles, [0.0, 0.0, 1.0])).as_matrix()
    assert np.array_equal(turns, about_z[:, :2, :2])


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
