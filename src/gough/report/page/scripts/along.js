// What happens along the way: positions, speeds, forces and powers of all actuators, and margins.

import { durationOf, isWay, motionAlong } from "./way.js";

/** The way is looked at so many times, as studies do that do not say otherwise. */
export const SAMPLES = 1001;

/**
 * A function that gives what happens along the present way, computed when that has changed; null
 * where there is none. All arrays have SAMPLES samples one after the other, `time` one number each.
 */
export function createAlong({ machine, history }) {
  let known = {}, found = null;
  return () => {
    const { way, load, parameters } = history.now;
    if (way !== known.way || load !== known.load || parameters !== known.parameters) {
      known = { way, load, parameters };
      found = isWay(way) ? lookedAt(machine, way, load) : null;
    }
    return found;
  };
}

function lookedAt(machine, way, load) {
  const step = durationOf(way) / (SAMPLES - 1);
  const time = Float64Array.from({ length: SAMPLES }, (_, k) => (k === SAMPLES - 1 ? durationOf(way) : k * step));
  const motion = motionAlong(machine, way, time);
  const found = machine.along(motion, SAMPLES, load);
  return { ...motion, ...found, time, power: found.force.map((force, k) => force * found.speed[k]) };
}
