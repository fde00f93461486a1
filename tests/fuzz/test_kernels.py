"""Kernels called with arrays of every kind and shape: the right numbers, or words that help."""

import numpy as np
import pytest

import gough
from fuzz.share import Tally, cases, outcome

KERNELS = ["inverse_kinematics", "inverse_dynamics", "mass_matrix", "reactions", "is_singular"]
BATCHES = [*[(), (0,), (1,), (3,), (2, 3), (1, 4, 1)] * 3, (70_000,)]


@pytest.fixture(scope="module")
def model():
    return gough.Model(gough.load("demo-hexapod"))


def _misaligned(array):
    room = np.empty(array.nbytes + 1, np.uint8)[1:]
    moved = room.view(np.float64) if array.size else room[:0].view(np.float64)
    moved = moved.reshape(array.shape)
    moved[...] = array
    return moved


def _reversed_twice(array):
    return array[..., ::-1].copy()[..., ::-1]


def _every_second(array):
    room = np.zeros((*array.shape[:-1], 2 * array.shape[-1]))
    room[..., ::2] = array
    return room[..., ::2]


def _read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


GOOD_FORMS = {
    "as it is": lambda a: a,
    "a list": lambda a: a.tolist() if 0 < a.size < 1000 else a,
    "in Fortran's order": np.asfortranarray,
    "in the other byte order": lambda a: a.astype(">f8"),
    "single": lambda a: a.astype(np.float32),
    "half": lambda a: a.astype(np.float16),
    "integers": lambda a: np.round(a).astype(np.int32),
    "misaligned": _misaligned,
    "reversed": _reversed_twice,
    "every second number": _every_second,
    "read-only": _read_only,
    "repeated": lambda a: np.broadcast_to(a, (2, *a.shape)) if a.size < 1000 else a,
}
ODD_FORMS = {
    "too short": lambda a: a[..., :-1],
    "too long": lambda a: np.concatenate([a, a], axis=-1),
    "complex": lambda a: a + 1j,
    "long double": lambda a: a.astype(np.longdouble),
    "objects": lambda a: a.astype(object),
    "text": lambda a: a.astype(str) if a.size < 1000 else a.astype("U4"),
    "dates": lambda a: a.astype("i8").astype("M8[s]"),
    "records": lambda a: np.zeros(a.shape, dtype=[("x", float), ("y", float)]),
    "nothing": lambda _: None,
    "a word": lambda _: "home",
    "ragged": lambda _: [[1.0, 2.0], [3.0]],
    "a dictionary": lambda _: {"pose": 1},
    "a number": lambda _: 1.0,
    "masked": lambda a: np.ma.masked_array(a, mask=True),
    "a batch that does not fit": lambda a: np.ones((5, 7, *a.shape)),
}
ODD_OUTPUTS = {
    "complex, read-only": lambda shape: _read_only(np.empty(shape, complex)),
    "read-only": lambda shape: _read_only(np.empty(shape)),
    "of another shape": lambda shape: np.empty((*shape, 2)),
    "a list": lambda shape: [0.0] * 6,
    "integers": lambda shape: np.empty(shape, int),
}


def _inputs(seed, function, batch):
    rng, arrays = np.random.default_rng(seed), []
    for argument in function.inputs:
        array = rng.normal(size=(*batch, *argument.shape))
        if argument.name == "pose":
            array = 0.1 * array + [0, 0, 1, 1, 0, 0, 0]
        arrays.append(array)
    return arrays


def _equal(result, expected):
    results = result if isinstance(result, tuple) else (result,)
    wanted = expected if isinstance(expected, tuple) else (expected,)
    return all(np.array_equal(r, w, equal_nan=True) for r, w in zip(results, wanted, strict=True))


def test_kernels_take_arrays_of_every_kind_or_say_why_not(model, record_property):
    tally = Tally("kernel calls")
    for seed, rng in cases(400, seed=6_000_000):
        kernel = getattr(model, rng.choice(KERNELS))
        batch = rng.choice(BATCHES)
        arrays = _inputs(seed, kernel.function, batch)
        k = rng.randrange(len(arrays))
        odd = rng.random() < 0.5
        forms = ODD_FORMS if odd else GOOD_FORMS
        form = rng.choice(list(forms))
        arrays[k] = forms[form](arrays[k])
        place = f"call {seed}: {kernel.name}, batch {batch}, argument {k} is {form}"
        result, error = outcome(place, kernel, *arrays)
        if error is not None:
            assert odd, f"{place}: refused: {error}"
            tally.add("refused")
            continue
        plain = [np.array(a, dtype=np.float64, order="C") for a in arrays]
        assert _equal(result, kernel(*plain)), place
        tally.add("computed")
    record_property("fuzz", str(tally))


def test_kernels_write_where_they_are_told_or_say_why_not(model, record_property):
    tally = Tally("kernel outputs")
    for seed, rng in cases(150, seed=7_000_000):
        kernel = getattr(model, rng.choice(["inverse_kinematics", "mass_matrix"]))
        batch = rng.choice(BATCHES)
        (pose,) = _inputs(seed, kernel.function, batch)
        expected = kernel(pose.copy())
        form = rng.choice([*ODD_OUTPUTS, "every second number", "the input itself"])
        place = f"call {seed}: {kernel.name}, batch {batch}, output {form}"
        if form in ODD_OUTPUTS:
            _, error = outcome(place, kernel, pose, out=ODD_OUTPUTS[form](expected.shape))
            assert error is not None, place
            tally.add("refused")
            continue
        if form == "the input itself" and kernel.name == "inverse_kinematics":
            out = pose[..., :6]
        else:
            out = _every_second(np.zeros(expected.shape))
        kernel(pose, out=out)
        assert np.array_equal(out, expected), place
        tally.add("written")
    record_property("fuzz", str(tally))
