// How near a singularity is: numbers, and the motion that gets out of control.

import { rgbOf } from "./colours.js";
import { element, styleValue } from "./dom.js";
import { polyline } from "./meshes.js";
import { valueText } from "./numbers.js";
import { createPanel } from "./panel.js";
import { plus, times } from "./space.js";

const NEAR = 0.1; // of the distance at home: from there on the screw is drawn
const FAR = 10; // reaches of the machine: farther singularities count as so far
const LONG = 0.8; // half of the screw's axis, in reaches of the machine

export function createSingularityPanel(bench) {
  const meter = element("meter", { min: 0, max: 1, low: NEAR, optimum: 1 });
  const figures = element("dl", { className: "facts-list" });
  meter.setAttribute("aria-label", "distance to a singularity, over that at home");
  bench.listen(({ singularity }) => {
    const atHome = bench.atHome.singularity;
    const { factor, unit } = bench.units.m;
    const values = singularity.singular_values;
    const { reach } = bench.data.drawing.bounds, near = known(singularity, reach);
    meter.value = near / known(atHome, reach) || 0;
    figures.replaceChildren(...Object.entries({
      "distance to a singularity": `${near === FAR * reach ? "> " : ""}${valueText(near * factor, 3)} ${unit}`,
      "condition number of J": valueText(values[0] / values.at(-1), 4),
      "det J, of that at home": `${valueText(100 * singularity.determinant[0] / atHome.determinant[0], 3)} %`,
    }).flatMap(([name, text]) => [element("dt", { text: name }), element("dd", { text })]));
  });
  return createPanel("Singularity", meter, figures);
}

/** The distance to a singularity [m]; to first order it has no bound at some poses. */
const known = ({ distance: [distance] }, reach) => Math.min(Math.abs(distance), FAR * reach);

/** The axis of the motion that moves the actuators least; drawn near a singularity only. */
export function screwThings({ data, atHome }, { singularity }) {
  const { axis, point } = singularity, { reach } = data.drawing.bounds;
  const near = known(singularity, reach) < NEAR * known(atHome.singularity, reach);
  if (!near || !Number.isFinite(point[0])) return [];
  const end = (side) => plus(Array.from(point), times(axis, side * LONG * reach));
  return [{ lines: polyline([end(-1), end(1)]), colour: rgbOf(styleValue("--alert")), width: 3, over: true }];
}
