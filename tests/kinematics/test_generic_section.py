"""The stored start: forty points, certified, complete by the trace test, found by monodromy."""

import numpy as np
from monodromy import found_by_monodromy, monomials, trace_defect

from gough.kinematics.assembly.geometry import Section, generic_section
from gough.kinematics.assembly.solutions import distinct, refine


def test_forty_points_are_stored_and_certified():
    section = generic_section()
    shape = section.coefficients[:, 1:16]
    np.testing.assert_allclose(shape[:5] @ shape[:5].T, np.eye(5), atol=1e-14)
    assert np.abs(section.coefficients[:, 1:].imag).max() == 0
    assert np.abs(section.coefficients[:5, 16]).max() < 1e-14  # no g·g
    assert np.abs(section.coefficients[5, 10:16]).max() < 1e-14  # no minors
    assert np.abs(monomials(section.points) @ section.coefficients.T).max() < 1e-13
    found = refine(section.points, section.coefficients, np.abs(section.coefficients))
    assert found.proved.all()
    assert len(distinct(found)[0]) == 40


def test_the_trace_test_misses_none_and_notices_a_missing_one():
    section = generic_section()
    assert trace_defect(section) < 1e-10
    for k in (0, 17, 39):
        part = Section(section.coefficients, np.delete(section.points, k, axis=0))
        assert trace_defect(part) > 1e-4


def test_monodromy_finds_forty_points_of_another_section():
    section = found_by_monodromy(np.random.default_rng(7))
    assert section.points.shape == (40, 8)
    assert np.abs(section.coefficients - generic_section().coefficients).max() > 0.1
