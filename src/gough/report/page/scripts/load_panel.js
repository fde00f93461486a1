// What the platform carries, and what pushes it.

import { createPanel, numberRow, replaced } from "./panel.js";

/** A payload's mass [kg] and its centre on the platform [m]; force [N] and moment [N m] on it, base axes. */
export const NO_LOAD = { mass: 0, centre: [0, 0, 0], wrench: [0, 0, 0, 0, 0, 0] };

const AXES = ["x", "y", "z"];
const WRENCH = ["Fx", "Fy", "Fz", "Mx", "My", "Mz"];

export function createLoadPanel(bench) {
  const load = () => bench.history.now.load;
  const set = (changes, passing) => bench.change({ load: { ...load(), ...changes } }, passing);
  const fixed = (unit) => () => ({ unit, factor: 1 });
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
  );
}
