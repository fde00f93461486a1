// Axes along which the machine moves its tool from here, and about which it turns it.

import { composed, rotated } from "./attitude.js";
import { NO_FRAMES } from "./frames.js";
import { cross, minus } from "./space.js";

const NAMES = ["x", "y", "z", "rx", "ry", "rz"];
const UNITS = NAMES.map((_, k) => NAMES.map((_name, n) => (k === n ? 1 : 0)));
const SAME = 1e-9; // a part of an axis that is smaller is nothing

/**
 * Of a machine without frames its own, else those of the work frame that are made of them: names,
 * and the tool's way [m] and turn [rad] for one unit, base axes; or, in words, why there is none.
 * @returns {{axes: {name: string, turns: boolean, step: number[]}[], problem: string}}
 */
export function axesFrom(data, pose, { work, tool }) {
  const unchanged = [work, tool].every((frame) => frame.every((x, k) => x === NO_FRAMES.work[k]));
  if (unchanged) return { axes: data.degrees_of_freedom, problem: "" };
  if ("followed" in data.kernels && tool.slice(0, 3).some((x) => x !== 0)) {
    return { axes: [], problem: "The degrees of freedom of this machine depend on its pose: a tool beside the platform's origin does not stay on an axis." };
  }
  const arm = minus(composed(pose, tool).slice(0, 3), pose.slice(0, 3));
  const all = NAMES.map((name, k) => {
    const [way, turn] = [0, 3].map((part) => rotated(work.slice(3), UNITS[k].slice(part, part + 3)));
    return { name, turns: k > 2, step: [...way, ...turn], ofOrigin: [...minus(way, cross(turn, arm)), ...turn] };
  });
  const canDo = ({ ofOrigin }) => data.impossible.every((row) => Math.abs(row.reduce((sum, x, k) => sum + x * ofOrigin[k], 0)) < SAME);
  const axes = all.filter(canDo);
  const free = data.degrees_of_freedom.map(({ name }) => name).join(", ");
  return { axes, problem: axes.length ? "" : `The machine moves in ${free}: along no axis of this work frame, and about none through this tool.` };
}
