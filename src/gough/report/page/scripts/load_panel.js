// What the platform carries, and what pushes it.

import { element } from "./dom.js";
import { valueText } from "./numbers.js";
import { createPanel, numberRow, replaced } from "./panel.js";

/**
 * A payload's mass [kg], its centre on the platform [m] and its inertia about that, xx yy zz xy xz yz
 * [kg m²]; force [N] and moment [N m] on the platform, base axes.
 */
export const NO_LOAD = { mass: 0, centre: [0, 0, 0], inertia: [0, 0, 0, 0, 0, 0], wrench: [0, 0, 0, 0, 0, 0] };

const AXES = ["x", "y", "z"];
const INERTIA = ["xx", "yy", "zz", "xy", "xz", "yz"];
const WRENCH = ["Fx", "Fy", "Fz", "Mx", "My", "Mz"];

export function createLoadPanel(bench) {
  const load = () => bench.history.now.load;
  const set = (changes, passing) => bench.change({ load: { ...load(), ...changes } }, passing);
  const fixed = (unit) => () => ({ unit, factor: 1 });
  const rest = element("dl", { className: "facts-list" });
  bench.listen(() => {
    const more = capacities(bench);
    rest.replaceChildren(...Object.entries(more).flatMap(([name, text]) => [element("dt", { text: name }), element("dd", { text })]));
  });
  return createPanel(
    "Load",
    numberRow(bench, { label: "mass", title: "mass of the payload", least: 0, read: () => load().mass, write: (mass) => set({ mass }), unit: fixed("kg") }),
    ...AXES.map((axis, k) => numberRow(bench, {
      label: `c${axis}`, title: `${axis} of the payload's mass centre, on the platform`, read: () => load().centre[k],
      write: (value) => set({ centre: replaced(load().centre, k, value) }), unit: () => bench.units.m,
    })),
    element("details", {}, element("summary", { text: "Its inertia" }), ...INERTIA.map((name, k) => numberRow(bench, {
      label: `I${name}`, title: `${name} of the payload's inertia about its mass centre, on the platform`, ...(k < 3 ? { least: 0 } : {}),
      read: () => load().inertia[k], write: (value) => set({ inertia: replaced(load().inertia, k, value) }), unit: fixed("kg m²"),
    }))),
    ...WRENCH.map((name, k) => numberRow(bench, {
      label: name, title: `${k < 3 ? "force" : "moment"} on the platform along ${name[1]}`, read: () => load().wrench[k],
      write: (value) => set({ wrench: replaced(load().wrench, k, value) }), unit: fixed(k < 3 ? "N" : "N m"),
    })),
    rest,
  );
}

/** How much more the actuators can hold here, at rest: a mass at the payload's place, a force. */
function capacities({ data, machine, history }) {
  if (data.actuators.some(({ max_force: most }) => most === null)) return { "largest load": "no largest force is stated" };
  const { pose, load } = history.now, { force } = machine.at(pose, load);
  const along = (changed) => machine.at(pose, { ...load, ...changed }).force.map((x, k) => x - force[k]);
  const heavier = mostOf(data.actuators, force, along({ mass: load.mass + 1 }));
  const pushes = AXES.map((axis, k) => [axis, along({ wrench: replaced(load.wrench, k, load.wrench[k] + 1) })]);
  return {
    "more mass": `${valueText(heavier, 4)} kg`,
    ...Object.fromEntries(pushes.map(([axis, change]) => [`more force along ${axis}`,
      `−${valueText(mostOf(data.actuators, force, change.map((x) => -x)), 4)} … +${valueText(mostOf(data.actuators, force, change), 4)} N`])),
  };
}

/** How many of a change the actuators can take until the first is at its largest force. */
function mostOf(actuators, force, change) {
  return Math.max(0, Math.min(...actuators.map(({ max_force: most }, k) => (change[k] === 0 ? Infinity : (Math.sign(change[k]) * most - force[k]) / change[k]))));
}
