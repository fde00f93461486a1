// What the colours of a machine's parts mean: forces, or how far the limits of an actuator are.

import { forceColour, rgbOf } from "./colours.js";
import { styleValue } from "./dom.js";
import { themeName } from "./look.js";
import { forceColours } from "./machine.js";

const FAMILIES = { stroke: "margin of the stroke", range: "margin of the range", travel: "margin of the travel", "base joint": "margin of joints at the base", "passive joint": "margin of passive joints", "platform joint": "margin of joints at the platform", clearance: "clearance" };

/** The measures that a machine has: { text, colours(state) }, forces first. */
export function measuresOf(data, machine) {
  const margins = Object.entries(FAMILIES).flatMap(([family, text]) => {
    const mine = data.limits.map((limit, k) => ({ ...limit, k })).filter((limit) => limit.family === family && limit.actuators.length);
    return mine.length ? [{ text, colours: ({ margin }) => data.actuators.map((_, n) => leastColour(mine.filter(({ actuators }) => actuators.includes(n)).map(({ k }) => margin[k]))) }] : [];
  });
  return [{ text: "actuator force", colours: ({ force }) => forceColours(machine, force) }, ...margins];
}

/** Grey in the middle of a range, orange at its end, red beyond it; none where nothing is known. */
function leastColour(margins) {
  const least = Math.min(...margins);
  if (least < 0) return rgbOf(styleValue("--alert"));
  return forceColour(Number.isFinite(least) ? 1 - least : 0, 1, themeName());
}
