// What the platform carries, and what pushes it.

import { element } from "./dom.js";
import { motorTable, reactionTable } from "./load_tables.js";
import { valueText } from "./numbers.js";
import { overloads } from "./overload.js";
import { createPanel, numberRow, replaced } from "./panel.js";

/**
 * A payload's mass [kg], its centre on the platform [m] and its inertia about that, xx yy zz xy xz yz
 * [kg m²]; force [N] and moment [N m] on the platform, base axes.
 */
export const NO_LOAD = { mass: 0, centre: [0, 0, 0], inertia: [0, 0, 0, 0, 0, 0], wrench: [0, 0, 0, 0, 0, 0] };

const AXES = ["x", "y", "z"];
const INERTIA = ["xx", "yy", "zz", "xy", "xz", "yz"];
const UNFELT = "the actuators do not carry it";
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
    element("details", {}, element("summary", { text: "Its inertia" }), ...INERTIA.map((name, k) => numberRow(bench, {
      label: `I${name}`, title: `${name} of the payload's inertia about its mass centre, on the platform`, ...(k < 3 ? { least: 0 } : {}),
      read: () => load().inertia[k], write: (value) => set({ inertia: replaced(load().inertia, k, value) }), unit: fixed("kg m²"),
    }))),
    ...WRENCH.map((name, k) => numberRow(bench, {
      label: name, title: `${k < 3 ? "force" : "moment"} on the platform along ${name[1]}`, read: () => load().wrench[k],
      write: (value) => set({ wrench: replaced(load().wrench, k, value) }), unit: fixed(k < 3 ? "N" : "N m"),
    })),
    against, rest, ...[motorTable(bench), reactionTable(bench)].filter(Boolean),
  );
}

/** How much more the actuators can hold here, at rest: a mass at the payload's place, a force. */
function capacities({ data, machine, history }) {
  if (data.actuators.some(({ max_force: most }) => most === null)) return { "maximum load": "no maximum force is stated" };
  const { pose, load } = history.now;
  const pushes = AXES.map((_, k) => replaced(new Array(6).fill(0), k, 1));
  const [heavier, ...forces] = machine.carries(pose, load, [machine.weight(pose, load.centre), ...pushes]);
  return {
    "more mass": massText(heavier),
    ...Object.fromEntries(AXES.map((axis, k) => [`more force along ${axis}`, rangeText(forces[k])])),
  };
}

/** How much more mass can be borne [kg], of a range. */
function massText(range) {
  if (range === null || range[1] <= 0) return "none";
  return Number.isFinite(range[1]) ? `${valueText(range[1], 4)} kg` : UNFELT;
}

/** A range of forces that can act besides [N]. */
function rangeText(range) {
  if (range === null) return "none";
  return range.some(Number.isFinite) ? `${range.map((x) => (x < 0 ? "−" : "+") + valueText(Math.abs(x), 4)).join(" … ")} N` : UNFELT;
}
