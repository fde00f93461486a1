// How near a singularity is: numbers, and the motion that gets out of control.

import { rgbOf } from "./colours.js";
import { element, styleValue } from "./dom.js";
import { polyline } from "./meshes.js";
import { valueText } from "./numbers.js";
import { createPanel } from "./panel.js";
import { plus, times } from "./space.js";

const NEAR = 0.1; // of the distance at home: from there on the screw is drawn
const LONG = 0.8; // half of the screw's axis, in reaches of the machine

export function createSingularityPanel(bench) {
  const meter = element("meter", { min: 0, max: 1, low: NEAR, optimum: 1 });
  const figures = element("dl", { className: "facts-list" });
  meter.setAttribute("aria-label", "distance to a singularity, over that at home");
  bench.listen(({ singularity }) => {
    const atHome = bench.atHome.singularity;
    const { factor, unit } = bench.units.m;
    const values = singularity.singular_values;
    meter.value = Math.abs(singularity.distance[0] / atHome.distance[0]) || 0;
    figures.replaceChildren(...Object.entries({
      "distance to a singularity": `${valueText(singularity.distance[0] * factor, 3)} ${unit}`,
      "condition number of J": valueText(values[0] / values.at(-1), 4),
      "det J, of that at home": `${valueText(100 * singularity.determinant[0] / atHome.determinant[0], 3)} %`,
    }).flatMap(([name, text]) => [element("dt", { text: name }), element("dd", { text })]));
  });
  return createPanel("Singularity", meter, figures);
}

/** The axis of the motion that moves the actuators least; drawn near a singularity only. */
export function screwThings({ data, atHome }, { singularity }) {
  const { axis, point, distance } = singularity;
  const near = Math.abs(distance[0]) < NEAR * Math.abs(atHome.singularity.distance[0]);
  if (!near || !Number.isFinite(point[0])) return [];
  const end = (side) => plus(Array.from(point), times(axis, side * LONG * data.drawing.bounds.reach));
  return [{ lines: polyline([end(-1), end(1)]), colour: rgbOf(styleValue("--alert")), width: 3, over: true }];
}
