// How far the tool goes from here along each axis alone, and what ends it there.

import { composed, displaced, inverted } from "./attitude.js";
import { axesFrom } from "./axes.js";
import { firstExits } from "./rays.js";

/**
 * For each axis its ways in the negative and the positive direction: { distance, ended }, in m or
 * rad, as in rays.js; both zero where a limit is already broken. `problem` says why there is none.
 * @param bench see bench.js
 */
export function travelFrom({ machine, data }, { pose, frames }) {
  const { axes, problem } = axesFrom(data, pose, frames);
  const tool = composed(pose, frames.tool), back = inverted(frames.tool);
  const ways = axes.flatMap(({ step, turns }) => [-1, 1].map((sign) => ({ turns, step: step.map((x) => sign * x) })));
  const at = (way, distance) => composed(displaced(tool, way.step.map((x) => distance * x)), back);
  const [here] = machine.leastMargins([pose]);
  const least = (asked) => machine.leastMargins(machine.followed(pose, asked.map(([n, distance]) => at(ways[n], distance))));
  const results = here.margin >= 0
    ? firstExits(least, ways.map(({ step, turns }) => farthest(data, turns, step)))
    : ways.map(() => ({ distance: 0, ended: here.limit }));
  return { problem, travels: axes.map(({ name, turns }, k) => ({ name, turns, ways: results.slice(2 * k, 2 * k + 2) })) };
}

/** How far ways are followed at most [m, rad]; where legs have no ends, as far as Python looks. */
export function farthest({ search, drawing }, turns, step) {
  if (turns) return Math.PI;
  return search === null ? 2 * drawing.bounds.reach : search / Math.max(...step.slice(0, 3).map(Math.abs));
}
