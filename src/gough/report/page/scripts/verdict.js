// What is against the pose, in words; or which limit is the nearest.

import { element } from "./dom.js";
import { valueText } from "./numbers.js";
import { overloads } from "./overload.js";
import { inside, reasons } from "./reach.js";

export function createVerdict(host, bench) {
  bench.listen((now) => {
    const against = [...reasons(bench.data.limits, now.margin, bench.units), ...overloads(bench.data, now)];
    const texts = against.length ? against : [nearest(bench, now.margin)];
    host.classList.toggle("alert", against.length > 0);
    host.replaceChildren(...texts.map((text) => element("p", { text })));
  });
}

function nearest({ data, units }, margin) {
  if (margin.length === 0) return "No limit is known.";
  const k = margin.indexOf(Math.min(...margin));
  return `Within all limits. The nearest: ${distanceText(data.limits[k], margin[k], units)}.`;
}

function distanceText(limit, margin, units) {
  if (limit.kind === "side") return `a singularity, det J is ${valueText(100 * margin, 3)} % of that at home`;
  const { factor, unit } = units[limit.unit];
  const what = limit.family === "clearance" ? "the clearance" : `the ${limit.family}`;
  return `${what} of ${limit.of.join(" and ")}, ${valueText(inside(limit, margin) * factor, 3)} ${unit} away`;
}
