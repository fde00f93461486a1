// What happens along the way: positions, speeds, forces and powers of all actuators, and margins.

import { durationOf, isWay, motionAlong } from "./way.js";

/**
 * A function that gives what happens along the present way, computed when that has changed; null
 * where there is none. All arrays have `data.samples` samples one after the other, `time` one number each.
 */
export function createAlong({ data, machine, history }) {
  let known = {}, found = null;
  return () => {
    const { way, load, parameters } = history.now;
    if (way !== known.way || load !== known.load || parameters !== known.parameters) {
      known = { way, load, parameters };
      found = isWay(way) ? lookedAt(data, machine, way, load) : null;
    }
    return found;
  };
}

function lookedAt({ samples: count, study }, machine, way, load) {
  const time = way.sampled ? study.samples.time : timesAlong(way, count);
  const motion = motionAlong(machine, way, time);
  const found = machine.along(motion, count, load);
  return { ...motion, ...found, time, power: found.force.map((force, k) => force * found.speed[k]) };
}

/** So many times [s] from the beginning to the end of a way through waypoints. */
function timesAlong(way, count) {
  const end = durationOf(way), step = end / (count - 1);
  return Float64Array.from({ length: count }, (_, k) => (k === count - 1 ? end : k * step));
}
