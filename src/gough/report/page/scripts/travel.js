// How far the tool goes from here along each axis alone, and what ends it there.

import { displaced } from "./attitude.js";
import { placedBy, seenIn } from "./frames.js";
import { firstExits } from "./rays.js";

const AXES = ["x", "y", "z", "rx", "ry", "rz"];

/**
 * For each freedom its ways in the negative and the positive direction: { distance, ended }, in m
 * or rad, as in rays.js; both zero where a limit is already broken.
 * @param bench see bench.js
 * @param {{name: string, turns: boolean}[]} freedoms
 */
export function travelFrom({ machine, data }, { pose, frames }, freedoms) {
  const start = seenIn(frames, pose);
  const ways = freedoms.flatMap(({ name, turns }) => [-1, 1].map((sign) => ({ axis: AXES.indexOf(name), sign, turns })));
  const at = ({ axis, sign }, distance) => {
    const step = [0, 0, 0, 0, 0, 0];
    step[axis] = sign * distance;
    return machine.possible(placedBy(frames, displaced(start, step)));
  };
  const [here] = machine.leastMargins([pose]);
  const results = here.margin >= 0
    ? firstExits((asked) => machine.leastMargins(asked.map(([n, distance]) => at(ways[n], distance))), ways.map(({ turns }) => farthest(data, turns)))
    : ways.map(() => ({ distance: 0, ended: here.limit }));
  return freedoms.map((freedom, k) => ({ ...freedom, ways: results.slice(2 * k, 2 * k + 2) }));
}

/** How far ways are followed at most [m, rad]. */
export const farthest = (data, turns) => (turns ? Math.PI : 2 * data.drawing.bounds.reach);
