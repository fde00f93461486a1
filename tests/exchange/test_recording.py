"""Recordings of ROS 2, read by two readers that know nothing of Gough."""

import json
from xml.etree import ElementTree

import numpy as np
import pytest
from mcap.reader import NonSeekingReader, SeekingReader, make_reader
from mcap_ros2.decoder import DecoderFactory
from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore
from scipy.spatial.transform import Rotation
from study_samples import LINE, data, study

import gough
from gough.exchange import export_mcap
from gough.runs import to_folder

RECORDED = {"csv": False, "report": False, "mcap": True}
SECOND = 10**9


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Results, their file, and its messages by topic: pairs of a stamp [ns] and a message."""
    folder = tmp_path_factory.mktemp("recorded")
    results = to_folder(study(motion=LINE, samples=21, outputs=RECORDED), folder)
    topics = {}
    with (folder / "results.mcap").open("rb") as stream:
        reader = make_reader(stream, decoder_factories=[DecoderFactory()])
        for _, channel, written, message in reader.iter_decoded_messages():
            topics.setdefault(channel.topic, []).append((written.log_time, message))
    return results, folder / "results.mcap", topics


def test_every_quantity_is_there_at_every_sample(recorded):
    results, _, topics = recorded
    stamps = [SECOND + round(t * SECOND) for t in results.time]
    for name, quantity in results.quantities.items():
        found = topics[f"/gough/{name}"]
        assert [stamp for stamp, _ in found] == stamps
        values = np.array([message.data for _, message in found]).reshape(quantity.values.shape)
        assert np.array_equal(values, quantity.values, equal_nan=True), name
    layout = topics["/gough/joint_force"][0][1].layout
    assert [(d.label, d.size, d.stride) for d in layout.dim] == [
        ("bearing", 18, 54),
        ("direction", 3, 3),
    ]


def test_the_joints_are_all_those_of_the_urdf_that_goes_with_them(recorded):
    results, _, topics = recorded
    ((_, description),) = topics["/robot_description"]
    robot = ElementTree.fromstring(description.data)
    moving = [joint.get("name") for joint in robot.iter("joint") if joint.get("type") != "fixed"]
    slides = [moving.index(f"slide-{k}") for k in range(1, 7)]
    for k, (stamp, message) in enumerate(topics["/joint_states"]):
        assert message.name == moving
        assert message.header.stamp.sec * SECOND + message.header.stamp.nanosec == stamp
        assert np.isfinite(message.position + message.velocity).all()
        travelled = results["leg_length"][k] - results["leg_length"][0]
        assert np.array(message.position)[slides] == pytest.approx(
            travelled + message_zero(results), abs=1e-12
        )
        assert np.array(message.velocity)[slides] == pytest.approx(results["leg_speed"][k])
        assert np.array_equal(np.array(message.effort)[slides], results["force"][k])
        assert np.isnan(np.delete(message.effort, slides)).all()


def message_zero(results):
    """How far the first sample is from home, where positions are zero."""
    model = gough.Model(results.robot)
    at_home = model.inverse_kinematics(np.array(results.robot.home))
    return results["leg_length"][0] - at_home


def test_transforms_from_link_to_link_lead_to_the_platform(recorded):
    results, _, topics = recorded
    ((_, static),) = topics["/tf_static"]
    for k, (_, message) in enumerate(topics["/tf"]):
        links = {t.child_frame_id: t for t in (*static.transforms, *message.transforms)}
        place, turn, frame = np.zeros(3), Rotation.identity(), "platform"
        while frame != "base":
            step = links[frame].transform
            q, p = step.rotation, step.translation
            own = Rotation.from_quat([q.x, q.y, q.z, q.w])
            place = own.apply(place) + [p.x, p.y, p.z]
            turn, frame = own * turn, links[frame].header.frame_id
        assert place == pytest.approx(results["pose"][k, :3], abs=1e-12)
        quaternion = results["pose"][k, [4, 5, 6, 3]]
        assert (turn.inv() * Rotation.from_quat(quaternion)).magnitude() < 1e-12


def test_another_reader_finds_the_same_bytes_mean_the_same(recorded):
    """rosbags has its own CDR, and ROS 2's own definitions of these messages."""
    _, file, topics = recorded
    store, counted = get_typestore(Stores.ROS2_JAZZY), dict.fromkeys(topics, 0)
    with AnyReader([file], default_typestore=store) as reader:
        for connection, stamp, raw in reader.messages():
            message = store.deserialize_cdr(raw, connection.msgtype)
            k = counted[connection.topic]
            counted[connection.topic] += 1
            assert topics[connection.topic][k][0] == stamp
            if connection.topic == "/joint_states":
                assert message.position.tolist() == topics["/joint_states"][k][1].position
            assert bytes(store.serialize_cdr(message, connection.msgtype)) == bytes(raw)
    assert counted == {topic: len(messages) for topic, messages in topics.items()}


def test_it_is_a_recording_of_ros_2_with_units(recorded):
    _, file, _ = recorded
    with file.open("rb") as stream:
        reader = make_reader(stream)
        assert reader.get_header().profile == "ros2"
        channels = {c.topic: c for c in reader.get_summary().channels.values()}
        assert next(reader.iter_metadata()).metadata["robot"] == "demo-hexapod"
    assert channels["/gough/force"].metadata["unit"] == "N"
    assert "durability: 1" in channels["/robot_description"].metadata["offered_qos_profiles"]
    assert {c.message_encoding for c in channels.values()} == {"cdr"}


def test_a_file_that_is_no_recording_of_gough_stays(recorded, tmp_path):
    results, file, _ = recorded
    export_mcap(results, tmp_path / "again.mcap")
    export_mcap(results, tmp_path / "again.mcap")
    assert (tmp_path / "again.mcap").read_bytes() == file.read_bytes()
    (tmp_path / "mine.mcap").write_bytes(b"mine")
    with pytest.raises(gough.GoughError, match=r"mine.mcap: not made by Gough"):
        export_mcap(results, tmp_path / "mine.mcap")
    assert (tmp_path / "mine.mcap").read_bytes() == b"mine"


def test_results_of_many_motions_are_refused(tmp_path):
    grid = [{"parameter": "motion.duration", "values": [1, 2]}]
    results = gough.run(gough.Study.from_dict(data(motion=LINE, samples=21, variations=grid)))
    with pytest.raises(gough.GoughError, match="has no recording; expected the results of one"):
        export_mcap(results, tmp_path / "grid.mcap")


def test_a_grid_is_refused_before_it_runs_and_a_point_of_it_is_recorded(tmp_path):
    grid = [{"parameter": "motion.duration", "values": [1, 2]}]
    asked = gough.Study.from_dict(data(motion=LINE, samples=21, variations=grid, outputs=RECORDED))
    with pytest.raises(gough.GoughError, match="a grid has no recording; expected one of its"):
        to_folder(asked, tmp_path)
    to_folder(asked.variant(1), tmp_path)
    with (tmp_path / "results.mcap").open("rb") as stream:
        assert make_reader(stream).get_summary().statistics.message_end_time == 3 * SECOND


def test_what_has_no_urdf_is_refused_before_it_runs(tmp_path, monkeypatch):
    monkeypatch.setattr("gough.runs.study.run_one", lambda study: pytest.fail("computed in vain"))
    text = json.dumps(gough.load("delta").to_dict()).replace("hip-1", "hip\\u0001")
    asked = data(robot=json.loads(text), motion=LINE, samples=21, outputs=RECORDED)
    with pytest.raises(gough.GoughError, match=r"joints\[0\].name: not a name"):
        to_folder(gough.Study.from_dict(asked), tmp_path)


def test_many_chunks_are_one_recording(recorded, tmp_path, monkeypatch):
    """Also without its index, and with what CRCs say of its bytes."""
    results, _, topics = recorded
    monkeypatch.setattr("gough.exchange.ros2.recording._CHUNK", 100_000)
    export_mcap(results, tmp_path / "small.mcap")
    told = {topic: [stamp for stamp, _ in messages] for topic, messages in topics.items()}
    for make in (SeekingReader, NonSeekingReader):
        stamps = {}
        with (tmp_path / "small.mcap").open("rb") as stream:
            for _, channel, message in make(stream, validate_crcs=True).iter_messages():
                stamps.setdefault(channel.topic, []).append(message.log_time)
        assert stamps == told
    with (tmp_path / "small.mcap").open("rb") as stream:
        statistics = make_reader(stream).get_summary().statistics
    assert statistics.chunk_count > 3
    assert statistics.message_count == sum(map(len, told.values()))
    assert statistics.message_start_time == SECOND
