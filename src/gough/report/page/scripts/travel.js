// How far the tool goes from here along each axis alone, and what ends it there.

import { displaced } from "./attitude.js";
import { placedBy, seenIn } from "./frames.js";

const STEPS = 128; // looks along a way, before what lies between two of them is halved
const HALVINGS = 45;

/**
 * For each freedom its ways in the negative and the positive direction: { distance, ended }, in m
 * or rad, with the number of the limit that ends it; -1 for none, null where legs do not reach.
 * @param bench see bench.js
 * @param {{name: string, turns: boolean}[]} freedoms
 */
export function travelFrom({ machine, data }, { pose, frames }, freedoms) {
  const start = seenIn(frames, pose);
  const farthest = { false: 2 * data.drawing.bounds.reach, true: Math.PI };
  const ways = freedoms.flatMap(({ name, turns }) => [-1, 1].map((sign) => ({ axis: AXES.indexOf(name), sign, reach: farthest[turns] })));
  const at = ({ axis, sign }, distance) => {
    const step = [0, 0, 0, 0, 0, 0];
    step[axis] = sign * distance;
    return machine.possible(placedBy(frames, displaced(start, step)));
  };
  const least = (asked) => machine.leastMargins(asked.map(([way, distance]) => at(way, distance)));
  const looks = ways.flatMap((way) => Array.from({ length: STEPS }, (_, k) => [way, way.reach * (k + 1) / STEPS]));
  const outside = least(looks).map(({ margin }) => !(margin >= 0));
  const ends = ways.map((way, n) => {
    const k = outside.indexOf(true, n * STEPS) - n * STEPS;
    const found = k >= 0 && k < STEPS;
    return { way, found, low: way.reach * (found ? k : STEPS) / STEPS, high: way.reach * (found ? k + 1 : STEPS) / STEPS };
  });
  for (let k = 0; k < HALVINGS; k += 1) {
    const middles = ends.map(({ low, high }) => (low + high) / 2);
    least(ends.map(({ way }, n) => [way, middles[n]])).forEach(({ margin }, n) => {
      ends[n][margin >= 0 ? "low" : "high"] = middles[n];
    });
  }
  const [here] = machine.leastMargins([pose]);
  const behind = least(ends.map(({ way, high }) => [way, high]));
  const results = ends.map(({ found, low, high }, n) => (here.margin >= 0
    ? { distance: (low + high) / 2, ended: found ? behind[n].limit : -1 }
    : { distance: 0, ended: here.limit }));
  return freedoms.map((freedom, k) => ({ ...freedom, ways: results.slice(2 * k, 2 * k + 2) }));
}

const AXES = ["x", "y", "z", "rx", "ry", "rz"];
