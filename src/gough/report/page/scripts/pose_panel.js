// Where the platform is: a number for each of the coordinates that the machine can change, of its
// tool in the work frame.

import { anglesOf, ofAngles } from "./attitude.js";
import { placedBy, seenIn } from "./frames.js";
import { createPanel, numberRow, replaced } from "./panel.js";

const PLACES = ["x", "y", "z"];
const ANGLES = ["α", "β", "γ"];

export function createPosePanel(bench) {
  const { data, units, history } = bench;
  const spans = Object.fromEntries(data.degrees_of_freedom.map(({ name, span }) => [name, span]));
  const widest = Math.max(0, ...data.degrees_of_freedom.filter(({ turns }) => turns).map(({ span }) => span));
  const seen = () => seenIn(history.now.frames, history.now.pose);
  const goTo = (pose, passing) => bench.goTo(placedBy(history.now.frames, pose), passing);
  const angles = () => anglesOf(units.order, seen().slice(3));
  const moved = PLACES.flatMap((name, k) => (name in spans ? [numberRow(bench, {
    label: name, title: `${name} of the tool, in the work frame`, ...around(data.home[k], spans[name]),
    read: () => seen()[k],
    write: (value, passing) => goTo(replaced(seen(), k, value), passing),
    unit: () => units.m,
  })] : []));
  const turned = widest === 0 ? [] : ANGLES.map((name, k) => turnedRow(bench, k, {
    label: name, title: `${["first", "second", "third"][k]} angle of the tool, in the work frame`, ...around(0, widest),
    read: () => angles()[k],
    write: (value, passing) => goTo([...seen().slice(0, 3), ...ofAngles(units.order, replaced(angles(), k, value))], passing),
    unit: () => units.rad,
  }));
  return createPanel("Pose", ...moved, ...turned);
}

/** The row of an angle, as long as the machine can change it: of one that turns about an axis only that. */
function turnedRow(bench, k, options) {
  const row = numberRow(bench, options), { data, units, history } = bench;
  const axes = data.degrees_of_freedom.filter(({ turns }) => turns).map(({ name }) => name.at(-1));
  bench.listen(() => {
    const { work, tool } = history.now.frames, straight = [work, tool].every((frame) => frame.slice(4).every((x) => x === 0));
    row.hidden = straight && axes.length === 1 && units.order[k].toLowerCase() !== axes[0];
  });
  return row;
}

const around = (middle, span) => ({ low: middle - span, high: middle + span });
