// The study that the page was made with: its state to start from, and what the page cannot show of it.

import { createButton } from "./controls.js";
import { element } from "./dom.js";
import { createPanel } from "./panel.js";
import { NO_WAY } from "./way.js";

/**
 * A study of the file with its numbers unpacked: { name, remarks, samples, state }. `samples` are
 * those of its way where no waypoints make it, each array with one sample after the other, else
 * null; `state` is what a person would have set to have its load, frames and way.
 */
export function unpackStudy({ name, remarks, load, frames, way, samples }) {
  return { name, remarks, samples: samples && unpackSamples(samples), state: { load, frames, way: { ...NO_WAY, ...(way ?? { sampled: true }) } } };
}

function unpackSamples({ bodies, ...packed }) {
  const arrays = Object.fromEntries(Object.entries(packed).map(([name, text]) => [name, text && numbersOf(text)]));
  return { ...arrays, bodies: Array.from(arrays.time, (_, k) => bodies.findLast(({ first }) => first <= k)) };
}

/** The numbers of a text, to the last bit. */
function numbersOf(text) {
  return new Float64Array(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);
}

export function createStudyPanel(bench) {
  const { study } = bench.data;
  if (!study) return element("section", { hidden: true });
  return createPanel(`Study ${study.name}`, ...study.remarks.map((text) => element("p", { className: "note", text })),
    element("div", { className: "buttons" }, createButton("Back to the study", () => {
      bench.change(study.state);
      bench.goToTime(0);
    }, { title: "Its motion, load and frames, as in the study" })));
}
