// Where the platform is: a number for each of the coordinates that the machine can change.

import { anglesOf, ofAngles } from "./attitude.js";
import { createPanel, numberRow, replaced } from "./panel.js";

const PLACES = ["x", "y", "z"];
const ANGLES = ["α", "β", "γ"];

export function createPosePanel(bench) {
  const { data, units, history } = bench;
  const spans = Object.fromEntries(data.freedoms.map(({ name, span }) => [name, span]));
  const widest = Math.max(0, ...data.freedoms.filter(({ turns }) => turns).map(({ span }) => span));
  const place = () => history.now.pose.slice(0, 3);
  const angles = (pose = history.now.pose) => anglesOf(units.order, pose.slice(3));
  const moved = PLACES.flatMap((name, k) => (name in spans ? [numberRow(bench, {
    label: name, title: `${name} of the platform`, ...around(data.home[k], spans[name]),
    read: () => place()[k],
    write: (value, passing) => bench.goTo(replaced(history.now.pose, k, value), passing),
    unit: () => units.m,
  })] : []));
  const turned = widest === 0 ? [] : ANGLES.map((name, k) => numberRow(bench, {
    label: name, title: `${["first", "second", "third"][k]} angle of the platform`, ...around(0, widest),
    read: () => angles()[k],
    write: (value, passing) => bench.goTo([...place(), ...ofAngles(units.order, replaced(angles(), k, value))], passing),
    unit: () => units.rad,
  }));
  return createPanel("Platform", ...moved, ...turned);
}

const around = (middle, span) => ({ low: middle - span, high: middle + span });
