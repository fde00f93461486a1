"""Reductions over time: extremes and their samples are those of all samples, block by block."""

import numpy as np
import pytest

from gough.analysis import reductions
from gough.analysis.reductions import MAXIMUM, MINIMUM, PEAK, PEAK_LENGTH, TimeSeries


@pytest.mark.parametrize("block", [3, 5, 100])
@pytest.mark.parametrize("motions", [(), (4,)])
def test_extremes_and_their_samples_do_not_depend_on_blocks(monkeypatch, block, motions):
    monkeypatch.setattr(reductions, "_BLOCK", block)
    values = np.random.default_rng(1).integers(-9, 9, (*motions, 17, 3)).astype(float)  # with ties
    values[..., 2:9, 1] = np.nan
    of = TimeSeries(np.arange(17.0), values, len(motions))
    for reduction, wanted, choose in (
        (MAXIMUM, np.nanmax(values, -2), np.nanargmax),
        (MINIMUM, np.nanmin(values, -2), np.nanargmin),
    ):
        found = reduction.find(of)
        assert (found.per_leg == wanted).all()
        samples = np.take_along_axis(choose(values, -2), found.leg[..., None], -1)[..., 0]
        assert (found.sample() == samples).all()
    peak = PEAK.find(of)
    assert (peak.per_leg == np.nanmax(np.abs(values), -2)).all()


def test_vectors_and_chosen_joints_are_reduced_in_blocks(monkeypatch):
    monkeypatch.setattr(reductions, "_BLOCK", 4)
    vectors = np.random.default_rng(2).normal(size=(11, 3, 3))
    of = TimeSeries(np.arange(11.0), vectors)
    lengths = np.linalg.norm(vectors, axis=-1)
    found = PEAK_LENGTH.find(of.like(lambda x: x[:, [2, 0]]))
    np.testing.assert_allclose(found.per_leg, lengths[:, [2, 0]].max(0), rtol=1e-15)
    assert found.sample() == lengths[:, [2, 0]][:, int(found.leg)].argmax()


def test_columns_without_a_number_have_none(monkeypatch):
    monkeypatch.setattr(reductions, "_BLOCK", 2)
    found = MAXIMUM.find(TimeSeries(np.arange(5.0), np.full((5, 2), np.nan)))
    assert np.isnan(found.per_leg).all()
    assert found.sample() == 0
