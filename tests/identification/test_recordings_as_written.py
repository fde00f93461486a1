"""Recordings as machines write them: what is odd about them is said, and does no harm."""

import numpy as np
import pyarrow as pa
import pytest
from recordings import recorded

import gough
from gough.disk import tables
from gough.disk.tables import write_csv
from gough.errors import GoughError
from gough.identification.filtering import Lowpass
from gough.identification.recording import quantum

DURATION = 15.0
TIME = np.arange(0.0, DURATION, 1e-3)


@pytest.fixture(scope="module")
def truth():
    return gough.load("demo-hexapod")


@pytest.fixture(scope="module")
def plain(truth):
    """Columns of a recording without fault."""
    return recorded(truth, 1, duration=DURATION, measured="force")


@pytest.fixture(scope="module")
def z_of(truth):
    """From an identification to its errors over sigma, root mean square."""
    base = gough.base_parameters(truth, legs="identical")

    def z(found):
        errors = [
            (found[name].value - value) / found[name].sigma
            for name, value in zip(base.names, base.values, strict=True)
        ]
        return np.sqrt(np.mean(np.square(errors)))

    return z


def without(columns, rows):
    return {name: np.delete(values, rows) for name, values in columns.items()}


def changed(columns, heading, rows, value):
    column = columns[heading].copy()
    column[rows] = value
    return columns | {heading: column}


def found_with(truth, columns, **options):
    return gough.identify(truth, columns, legs="identical", **options)


def test_a_lag_of_efforts_is_found_between_samples_and_taken_into_account(truth, z_of):
    found = found_with(truth, recorded(truth, 1, duration=DURATION, lag=0.0023))
    assert abs(found.lag.value - 0.0023) < 3 * found.lag.sigma < 0.2e-3
    assert 0.7 < z_of(found) < 1.3
    assert found.to_dict()["lag"]["certain"]


def test_sigma_of_a_lag_is_the_spread_of_many(truth):
    lags = [0.041 - 1e-3 * k for k in range(7)]
    each = [
        found_with(truth, recorded(truth, k, duration=6.0, lag=lag, measured="force")).lag
        for k, lag in enumerate(lags)
    ]
    z = [(found.value - lag) / found.sigma for found, lag in zip(each, lags, strict=True)]
    assert 0.6 < np.sqrt(np.mean(np.square(z))) < 1.5


def test_without_a_lag_none_is_taken_into_account(truth, plain):
    found = found_with(truth, plain)
    assert not found.lag.certain
    assert found.lag.text.endswith("ms: none")
    known = found_with(truth, plain, lag=0.0)
    assert [p.value for p in found.parameters] == [p.value for p in known.parameters]


def test_a_lag_that_is_known_is_taken_as_it_is(truth):
    late = recorded(truth, 2, duration=8.0, lag=0.01, measured="force")
    found, wrong = (found_with(truth, late, lag=lag) for lag in (0.01, 0.0))
    assert found.lag.text == "10 ms, as given"
    assert np.linalg.norm(found.noise) < 0.8 * np.linalg.norm(wrong.noise)


def test_gaps_are_left_out_with_what_the_filter_sees_of_them(truth, plain, z_of):
    """Wrong lengths just before a gap show that the filter does not see across."""
    found = found_with(truth, without(plain, slice(7000, 7120)))
    assert "a gap of 0.121 s at 7 s: cut there" in found.notes
    at = found.time[(found.time > 5.5) & (found.time < 8.5)]
    edge = 8 / found.cutoff
    assert ((at < 7.0 - 0.99 * edge) | (at > 7.12 + 0.99 * edge)).all()
    assert 0.7 < z_of(found) < 1.3
    assert found.noise == pytest.approx(found_with(truth, plain).noise, rel=0.1)


def test_dropped_packets_and_uneven_stamps_do_no_harm(truth, plain, z_of):
    rng = np.random.default_rng(5)
    time = np.sort(TIME + 2e-4 * rng.standard_normal(len(TIME)))
    found = found_with(truth, recorded(truth, 1, time=time, measured="force"))
    assert any(note.startswith("steps of samples differ by 0.2") for note in found.notes)
    assert 0.7 < z_of(found) < 1.3
    few = rng.choice(len(TIME), 200, replace=False)
    found = found_with(truth, without(plain, few))
    assert any("samples missing" in note and "interpolated" in note for note in found.notes)
    assert 0.7 < z_of(found) < 1.3


def test_channels_of_several_rates_are_brought_to_that_of_the_efforts(truth, plain, z_of):
    """As tables of a log have them: a number in every fourth row."""
    rarely = np.arange(len(TIME)) % 4 == 0
    slow = {
        name: np.where(rarely, values, np.nan) if "force" in name else values
        for name, values in plain.items()
    }
    recording = gough.Recording.of(slow, truth)
    assert recording.rate == pytest.approx(250.0)
    assert "lengths at 1000 Hz: filtered and thinned to 250 Hz" in recording.notes
    np.testing.assert_allclose(recording.effort[:, 2], plain["force_3 [N]"][::4], rtol=1e-6)
    assert 0.6 < z_of(found_with(truth, slow)) < 1.4


def test_channels_that_take_turns_keep_their_own_times(truth, plain):
    """Efforts stay as they were measured; lengths are those of the same moments."""
    turn = np.arange(len(TIME)) % 2 == 0
    columns = {
        name: values if name == "t [s]" else np.where(turn == ("force" in name), values, np.nan)
        for name, values in plain.items()
    }
    recording = gough.Recording.of(columns, truth)
    np.testing.assert_allclose(recording.time, TIME[2::2], atol=1e-9)
    np.testing.assert_allclose(recording.effort[:, 4], plain["force_5 [N]"][2::2], rtol=1e-6)
    np.testing.assert_allclose(recording.length[:, 1], plain["leg_length_2 [m]"][2::2], atol=2e-6)


def test_thinned_lengths_do_not_have_the_noise_that_was_too_fast_for_them(truth, plain):
    """White noise that is thinned without a filter would keep its size."""
    noise = 1e-4 * np.random.default_rng(0).standard_normal(len(TIME))
    rarely = np.arange(len(TIME)) % 10 == 0
    noisy = {n: np.where(rarely, v, np.nan) if "force" in n else v for n, v in plain.items()}
    noisy["leg_length_1 [m]"] = plain["leg_length_1 [m]"] + noise
    recording = gough.Recording.of(noisy, truth)
    left = recording.length[:, 0] - np.interp(recording.time, TIME, plain["leg_length_1 [m]"])
    assert np.std(left) == pytest.approx(1e-4 * np.sqrt(2 * 0.4 / 10), rel=0.1)


def test_rows_without_numbers_are_missing(truth, plain, tmp_path):
    columns = changed(plain, "force_3 [N]", slice(5000, 5003), np.nan)
    columns = changed(columns, "leg_length_1 [m]", slice(9000, 9100), np.inf)
    columns = changed(columns, "t [s]", 12000, np.nan)
    columns = {name: np.insert(values, 300, values[300]) for name, values in columns.items()}
    write_csv(columns, tmp_path / "machine.csv")
    recording = gough.Recording.of(tmp_path / "machine.csv", truth)
    assert recording.notes[:2] == (
        "1 row without a time: left out",
        "1 row with the time of the row before: left out",
    )
    assert "4 efforts missing, 3 in a row at most: interpolated" in recording.notes
    assert "a gap of 0.101 s at 9 s: cut there" in recording.notes
    assert [s.stop - s.start for s in recording.segments] == [9000, 5900]


def test_a_channel_that_begins_later_is_told(truth, plain):
    columns = changed(plain, "force_1 [N]", slice(0, 2000), np.nan)
    columns = changed(columns, "leg_length_1 [m]", slice(14000, None), np.nan)
    recording = gough.Recording.of(columns, truth)
    assert recording.notes[:2] == (
        "the first 2 s without lengths or efforts: left out",
        "the last 1 s without lengths or efforts: left out",
    )
    np.testing.assert_allclose(recording.time[[0, -1]], [2.0, 13.999])


def test_quantisation_is_told(truth, plain):
    steps = {n: np.round(v, 1) if "force" in n else v for n, v in plain.items()}
    recording = gough.Recording.of(steps, truth)
    assert recording.notes == ("lengths in steps of 1 µm", "efforts in steps of 0.1 N")
    np.testing.assert_allclose(recording.effort_step, 0.1)


def test_a_quantum_is_the_step_of_all_values():
    rng = np.random.default_rng(3)
    assert quantum(0.25 * rng.integers(-50, 50, 500) + 0.1) == pytest.approx(0.25)
    assert quantum(rng.standard_normal(500)) == 0.0
    assert quantum(np.full(500, 3.0)) == 0.0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda c: changed(c, "t [s]", 700, 0.5), "row 701: time does not go on"),
        (lambda c: changed(c, "t [s]", slice(None), np.nan), r"t \[s\]: no numbers at all"),
        (
            lambda c: changed(c, "leg_length_4 [m]", slice(None), np.nan),
            r"leg_length_4 \[m\]: no numbers at all",
        ),
        (
            lambda c: {n: v for n, v in c.items() if n != "force_2 [N]"},
            r"force_2 \[N\]: missing",
        ),
        (lambda c: changed(c, "force_2 [N]", slice(50, None), np.nan), "rows with all"),
        (lambda c: changed(c, "leg_length_2 [m]", TIME % 0.05 < 0.01, np.nan), "too many gaps"),
        (lambda c: {n: v[:50] for n, v in c.items()}, "too short"),
    ],
)
def test_what_cannot_be_used_is_named(truth, plain, change, words):
    with pytest.raises(GoughError, match=words):
        gough.Recording.of(change(plain), truth)


def test_efforts_of_another_motion_are_refused(truth, plain):
    other = recorded(truth, 7, duration=DURATION, measured="force")
    mixed = {name: (other if "force" in name else plain)[name] for name in plain}
    with pytest.raises(GoughError, match="expected channels of one motion"):
        found_with(truth, mixed)
    late = recorded(truth, 1, duration=DURATION, lag=0.6, measured="force")
    with pytest.raises(GoughError, match=r"come 0\.599 s later; .* shift the columns"):
        found_with(truth, late)
    with pytest.raises(GoughError, match=r"lag=2 s; expected at most 0\.\d+ s either way"):
        found_with(truth, plain, lag=2.0)


def test_a_recording_in_shreds_is_too_short_for_its_filter(truth):
    columns = without(recorded(truth, 1, duration=8.0, measured="force"), slice(1000, None, 1200))
    shreds = {
        n: np.concatenate([v[k : k + 900] for k in range(0, 7900, 1100)])
        for n, v in columns.items()
    }
    with pytest.raises(GoughError, match=r"no part longer than .* s, twice what the filter"):
        found_with(truth, shreds, cutoff=8.0)


def test_parts_that_the_filter_takes_whole_are_told():
    parts = (slice(0, 2000), slice(2000, 2200), slice(2200, 5000))
    assert Lowpass(9.0, 500.0, parts).notes == (
        "3 parts: 0.89 s at either end of each are left out, 1 of them whole",
    )


def test_kept_samples_are_those_of_the_whole_filtered_signal():
    rng = np.random.default_rng(1)
    values = rng.standard_normal((5000, 2, 3))
    smooth = Lowpass(9.0, 500.0, (slice(0, 2000), slice(2000, 5000)))
    whole = smooth(values)[smooth.rows(5000)]
    np.testing.assert_allclose(smooth.decimated(values), whole, atol=1e-7)


def test_spikes_and_sticking_do_not_spoil_a_robust_estimate(truth, plain, z_of):
    rng = np.random.default_rng(6)
    heading = "force_{} [N]"
    columns = dict(plain)
    for k in range(1, 7):
        rows = rng.choice(len(TIME), 40, replace=False)
        spikes = rng.choice([-1, 1], 40) * rng.uniform(1000.0, 5000.0, 40)
        columns = changed(
            columns, heading.format(k), rows, columns[heading.format(k)][rows] + spikes
        )
    stuck = slice(8000, 8800)
    columns = changed(columns, heading.format(2), stuck, columns[heading.format(2)][stuck] + 150.0)
    robust, spoilt = (found_with(truth, columns, robust=robust) for robust in (True, False))
    clean = found_with(truth, plain)
    assert 0.7 < z_of(robust) < 1.3
    assert robust["platform.mass"].sigma < 1.1 * clean["platform.mass"].sigma
    assert spoilt["platform.mass"].sigma > 5 * clean["platform.mass"].sigma
    notes = " ".join(robust.notes)
    count = int(notes.split(" spikes of efforts")[0].split()[-1])
    assert 235 <= count <= 260
    assert "filtered samples are outliers" in notes


def test_of_clean_noise_a_robust_estimate_is_nearly_as_good(truth, plain, z_of):
    robust, usual = (found_with(truth, plain, robust=robust) for robust in (True, False))
    assert robust["platform.mass"].sigma == pytest.approx(usual["platform.mass"].sigma, rel=0.06)
    assert 0.7 < z_of(robust) < 1.3
    assert not any("outliers" in note or "spikes" in note for note in robust.notes)


def test_a_recording_that_swells_in_memory_is_refused_before_it_does(tmp_path, truth, monkeypatch):
    rows = 2**20
    monkeypatch.setattr(tables, "MOST_NUMBERS", 2 * rows - 1)
    path = tmp_path / "long.parquet"
    tables.write_parquet({"time [s]": np.zeros(rows), "force_1 [N]": np.zeros(rows)}, path)
    assert path.stat().st_size < rows / 50
    before = pa.default_memory_pool().max_memory()
    with pytest.raises(GoughError, match="2,097,152 numbers; expected at most 2,097,151"):
        gough.Recording.of(path, truth)
    assert pa.default_memory_pool().max_memory() - before < 2**20


def test_text_in_a_recording_is_not_read(tmp_path, truth, plain):
    words = ["a" * 2**20] * 30
    tables.write_parquet({**plain, "note": words + [""] * (len(TIME) - 30)}, tmp_path / "a.parquet")
    content = (tmp_path / "a.parquet").read_bytes()
    assert tables.read_numbers(content, tmp_path).keys() == plain.keys()
    assert len(gough.Recording.of(tmp_path / "a.parquet", truth).time) == len(TIME)


@pytest.mark.parametrize(
    ("heading", "words"),
    [
        (b"time [s],time [s]", r"two columns 'time \[s\]'; expected each heading once"),
        ("time [s],f\u00fcnf".encode("latin-1"), "cannot be read: .*utf-8"),
    ],
)
def test_headings_that_cannot_be_told_apart_or_read_are_refused(tmp_path, truth, heading, words):
    path = tmp_path / "odd.csv"
    path.write_bytes(heading + b"\n0,0\n1,1\n")
    with pytest.raises(GoughError, match=words):
        gough.Recording.of(path, truth)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("odd.txt", r"neither CSV nor Parquet by its name; expected a recording \(.parquet or"),
        ("odd.parquet", "cannot be read: "),
    ],
)
def test_a_file_that_is_no_recording_is_named_once(tmp_path, truth, name, words):
    path = tmp_path / name
    path.write_text("time [s],a\n0,0\n")
    with pytest.raises(GoughError, match=words) as caught:
        gough.Recording.of(path, truth)
    assert str(caught.value).count(str(path)) == 1
