// What is against a way, in words: at its waypoints, and between them.

import { valueText } from "./numbers.js";
import { reasons } from "./reach.js";
import { countBelow } from "./series.js";
import { timesOf } from "./way.js";

/** What is against the k-th waypoint, at rest there. */
export function againstPoint({ machine, data, units }, { pose }, load) {
  const { margin, force } = machine.at(pose, load);
  return [...reasons(data.limits, margin, units), ...tooMuch(data, "force", Array.from(force), () => "")];
}

/** What is against the way that leads to the k-th waypoint. */
export function againstStretch(bench, way, found, k) {
  const moments = timesOf(way);
  return againstSamples(bench, found, countBelow(found.time, moments[k - 1]), Math.min(countBelow(found.time, moments[k]), found.time.length - 1));
}

/** What is against a way from one of its samples to another: the worst of each kind. */
export function againstSamples({ data, units }, found, first = 0, last = found.time.length - 1) {
  const { limits, actuators } = data;
  const worst = (values, count, worse) => Array.from({ length: count }, (_, n) => {
    let at = first;
    for (let s = first; s <= last; s += 1) if (worse(values[s * count + n], values[at * count + n])) at = s;
    return at;
  });
  const least = worst(found.margin, limits.length, (a, b) => a < b || (Number.isNaN(a) && !Number.isNaN(b)));
  const poses = reasons(limits, least.map((at, n) => found.margin[at * limits.length + n]), units);
  if (limits.length > 0 && Number.isNaN(found.margin[least[0] * limits.length])) return poses;
  const driven = ["force", "speed"].flatMap((name) => {
    const most = worst(found[name], actuators.length, (a, b) => Math.abs(a) > Math.abs(b) || !Number.isFinite(a));
    const values = most.map((at, n) => found[name][at * actuators.length + n]);
    return tooMuch(data, name, values, (n) => ` at ${valueText(found.time[most[n]], 4)} s`);
  });
  return [...poses, ...driven];
}

/** Forces or speeds beyond those that their actuators have; `when` says at which time. */
function tooMuch({ actuators }, name, values, when) {
  return actuators.flatMap((actuator, n) => {
    const most = actuator[`max_${name}`], unit = name === "force" ? actuator.force_unit : `${actuator.unit}/s`;
    if (!Number.isFinite(values[n])) return [`${actuator.name}: no bound of its ${name}${when(n)}, the machine is singular.`];
    if (most === null || Math.abs(values[n]) <= most) return [];
    return [`${actuator.name}: ${valueText(Math.abs(values[n]), 4)} ${unit}${when(n)}, more than its largest ${name} of ${valueText(most, 4)} ${unit}.`];
  });
}
