// Limits in words: how far within them a pose is, and what is against it.

import { valueText } from "./numbers.js";

/** How far within a limit a margin means, in the limit's unit; negative beyond it. */
export function inside({ kind, size }, margin) {
  if (kind !== "angle") return margin * size;
  return size - 2 * Math.asin(Math.min(1, Math.sin(size / 2) * Math.sqrt(1 - margin)));
}

/** What is wrong with a pose, in words: nothing if all margins are at least zero. */
export function reasons(limits, margins, units) {
  if (limits.length > 0 && !Number.isFinite(margins[0])) return ["The legs do not reach this pose."];
  return limits.flatMap((limit, k) => (margins[k] >= 0 ? [] : [reason(limit, margins[k], units)]));
}

function reason(limit, margin, units) {
  if (limit.kind === "side") return "The machine is behind a singularity: it does not come here from home.";
  const { factor, unit } = units[limit.unit];
  const where = limit.kind === "gap" ? "into each other" : `beyond ${limit.passed}`;
  return `${limit.of.join(" and ")}: ${valueText(-inside(limit, margin) * factor, 3)} ${unit} ${where}.`;
}
