// The work frame and the tool, to which all coordinates and the travel refer.

import { anglesOf, ofAngles } from "./attitude.js";
import { createButton } from "./controls.js";
import { element } from "./dom.js";
import { NO_FRAMES, seenIn } from "./frames.js";
import { createPanel, numberRow, replaced } from "./panel.js";

const TITLES = { work: "Work frame, in the base", tool: "Tool, on the platform: the pivot of rotations" };

export function createFramesPanel(bench) {
  const frames = () => bench.history.now.frames;
  const set = (changes) => bench.change({ frames: { ...frames(), ...changes } });
  const groups = Object.entries(TITLES).map(([name, title]) => element("fieldset", {}, element("legend", { text: title }), ...poseRows(bench, name, set)));
  const buttons = element("div", { className: "buttons" },
    createButton("Work frame at the tool", () => set({ work: seenIn({ ...frames(), work: NO_FRAMES.work }, bench.history.now.pose) }), { title: "All coordinates are zero here" }),
    createButton("None", () => set(NO_FRAMES)));
  return createPanel("Frames", ...groups, buttons);
}

function poseRows(bench, name, set) {
  const { units, history } = bench;
  const pose = () => history.now.frames[name];
  const angles = () => anglesOf(units.order, pose().slice(3));
  return [
    ...["x", "y", "z"].map((axis, k) => numberRow(bench, {
      label: axis, title: `${axis} of the ${name} frame`, read: () => pose()[k],
      write: (value) => set({ [name]: replaced(pose(), k, value) }), unit: () => units.m,
    })),
    ...["α", "β", "γ"].map((angle, k) => numberRow(bench, {
      label: angle, title: `angle ${k + 1} of the ${name} frame`, read: () => angles()[k],
      write: (value) => set({ [name]: [...pose().slice(0, 3), ...ofAngles(units.order, replaced(angles(), k, value))] }), unit: () => units.rad,
    })),
  ];
}
