"""Travel as the workbench finds it, in a real browser: what Python finds, to 1e-9."""

import json

import numpy as np
from report_samples import payload

import gough
from gough.robot.mechanism import MOVES
from gough.workbench.writing import workbench_page

FRAMES = gough.Frames(
    work=gough.pose([0.1, 0.0, 0.3], rpy=[0.2, -0.1, 0.8]), tool=gough.pose([0, 0, 0.2])
)
AWAY = gough.pose([0.04, -0.05, 1.01], rpy=[0.05, -0.08, 0.1])
SCRIPT = """async ([text, asked]) => {
  const [{ travelFrom }, { createMachineState }, { loadKernels }] = await Promise.all(
    ["travel", "machine_state", "kernels"].map((name) => import(`./${name}.js`)));
  const data = JSON.parse(text);
  const machine = createMachineState(data, await loadKernels(data.kernels));
  return asked.map((state) => travelFrom({ machine, data }, state, data.freedoms));
}"""


def test_the_pages_travel_in_frames_is_that_of_the_library(modules):
    model = gough.Model(gough.load("demo-hexapod"))
    data, poses = payload(workbench_page(model.robot)), (np.array(model.robot.home), AWAY)
    frames = {"work": FRAMES.work, "tool": FRAMES.tool}
    asked = [{"pose": pose.tolist(), "frames": frames} for pose in poses]
    shown = modules.evaluate(SCRIPT, [json.dumps(data), asked])
    for pose, rows in zip(poses, shown, strict=True):
        parts = model.travel(pose, frames=FRAMES)
        expected = np.concatenate([part.distances for part in parts])
        ends = [end for part in parts for end in part.ended_by]
        assert [row["name"] for row in rows] == list(MOVES)
        found = np.array([[way["distance"] for way in row["ways"]] for row in rows])
        np.testing.assert_allclose(found, expected, atol=1e-9)
        named = [[data["limits"][way["ended"]]["family"] for way in row["ways"]] for row in rows]
        assert named == ends
