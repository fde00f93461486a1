// What the platform carries, and what pushes it.

import { element } from "./dom.js";
import { motorTable, reactionTable } from "./load_tables.js";
import { valueText } from "./numbers.js";
import { overloads } from "./overload.js";
import { createPanel, numberRow, replaced } from "./panel.js";

/** A payload's mass [kg] and its centre on the platform [m]; force [N] and moment [N m] on it, base axes. */
export const NO_LOAD = { mass: 0, centre: [0, 0, 0], wrench: [0, 0, 0, 0, 0, 0] };

const AXES = ["x", "y", "z"];
const UNFELT = "the actuators do not feel it";
const NOTHING = 1e-12; // forces that a mass of 1 kg or a force of 1 N changes by less are not changed
const WRENCH = ["Fx", "Fy", "Fz", "Mx", "My", "Mz"];

export function createLoadPanel(bench) {
  const load = () => bench.history.now.load;
  const set = (changes, passing) => bench.change({ load: { ...load(), ...changes } }, passing);
  const fixed = (unit) => () => ({ unit, factor: 1 });
  const rest = element("dl", { className: "facts-list" }), against = element("p", { className: "note alert" });
  bench.listen((now) => {
    against.textContent = overloads(bench.data, now).join(" ");
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
    ...WRENCH.map((name, k) => numberRow(bench, {
      label: name, title: `${k < 3 ? "force" : "moment"} on the platform along ${name[1]}`, read: () => load().wrench[k],
      write: (value) => set({ wrench: replaced(load().wrench, k, value) }), unit: fixed(k < 3 ? "N" : "N m"),
    })),
    against, rest, ...[motorTable(bench), reactionTable(bench)].filter(Boolean),
  );
}

/** How much more the actuators can hold here, at rest: a mass at the payload's place, a force. */
function capacities({ data, machine, history, now }) {
  if (data.actuators.some(({ max_force: most }) => most === null)) return { "largest load": "no largest force is stated" };
  const { pose, load } = history.now;
  const along = (changed) => machine.forces(pose, { ...load, ...changed }).map((x, k) => x - now.force[k]);
  const heavier = mostOf(data.actuators, now.force, along({ mass: load.mass + 1 }));
  const pushes = AXES.map((axis, k) => [axis, along({ wrench: replaced(load.wrench, k, load.wrench[k] + 1) })]);
  const either = (change) => [-1, 1].map((side) => mostOf(data.actuators, now.force, change.map((x) => side * x)));
  return {
    "more mass": bounded([heavier]) ? `${valueText(heavier, 4)} kg` : UNFELT,
    ...Object.fromEntries(pushes.map(([axis, change]) => [axis, either(change)]).map(([axis, most]) => [`more force along ${axis}`,
      bounded(most) ? `−${valueText(most[0], 4)} … +${valueText(most[1], 4)} N` : UNFELT])),
  };
}

const bounded = (values) => values.some(Number.isFinite);

/** How many of a change the actuators can take until the first is at its largest force. */
function mostOf(actuators, force, change) {
  return Math.max(0, Math.min(...actuators.map(({ max_force: most }, k) => (Math.abs(change[k]) < NOTHING ? Infinity : (Math.sign(change[k]) * most - force[k]) / change[k]))));
}
