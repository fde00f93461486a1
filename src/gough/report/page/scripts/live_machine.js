// The machine as it is now, its parts coloured by the force of their actuators.

import { fixedParts, sceneOf } from "./machine.js";
import { createView } from "./view.js";

/**
 * Draw the machine into `host`. Returns the view; `show` draws it in a state of machine_state.js.
 * @param data what the file says of the machine
 */
export function createLiveMachine(host, data) {
  const { scales, actuators } = scaled(data.actuators);
  const machine = { ...data.drawing, actuators, scales, pose: data.home.map((x) => [x]) };
  const fixed = fixedParts(machine);
  let now = null;
  const view = createView(host, machine.bounds, () => (now ? sceneOf(machine, fixed, now) : { things: [], labels: [] }));
  view.canvas?.setAttribute("aria-label", "The machine; drag or use the arrow keys to turn it");
  return { ...view, show(state) { now = state; view.refresh(); } };
}

/** Actuators with the number of their scale of forces, one scale for each unit. */
function scaled(actuators) {
  const units = [...new Set(actuators.map(({ force_unit: unit }) => unit))];
  const scales = units.map((unit) => ({
    unit, limit: Math.max(...actuators.filter((one) => one.force_unit === unit).map(({ max_force: most }) => most ?? 0)) || 1000,
  }));
  return { scales, actuators: actuators.map((one) => ({ ...one, scale: units.indexOf(one.force_unit) })) };
}
