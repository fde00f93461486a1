// Mode shapes: the machine swings slowly, and far, as it vibrates in the mode that is chosen.

import { rgbOf } from "./colours.js";
import { createButton } from "./controls.js";
import { element, styleValue } from "./dom.js";
import { littleMotion } from "./look.js";
import { BAR, prismEdges } from "./meshes.js";
import { valueText } from "./numbers.js";
import { barMatrix, cross, minus, plus, poseMatrix, size, times, turned, unit } from "./space.js";
import { createTicker } from "./ticking.js";

const RATE = 1; // swings a second, whatever the frequency
const FIRST = 0.5; // of the largest amplitude
const STANDARD_GRAVITY = 9.80665; // [m/s²]
const COLLARS = { pistons: { colour: "--accent", place: 0.3 }, stages: { colour: "--series-4", place: 0.7 } }; // place on what is beyond the sleeve
const WIDE = 0.85, LONG = 0.8; // of a collar, in radii of its leg
const LITTLE = 1e-3; // what moves less than this part of the amplitude is not told
const NOTE = "The part named has the maximum share of the mode's kinetic energy, that of the platform taken about its mass centre.";

/**
 * Controls to choose a mode and to have the machine swing in it.
 * @param {object} options
 * @param {object} options.drawing what the machine looks like (see machine.js); `swing` is the largest amplitude [m]
 * @param {{name: string, words: string, leg: number | null}[]} options.coordinates what each of them moves
 * @param {(mode: import("./vibration.js").Mode, factor: number) => object} options.stateAt the machine displaced by a mode's
 *   shape times a factor: { pose, points, frames }
 * @param {() => void} options.redraw draws the scene anew
 * @param {{m: object, rad: object}} options.units see units.js
 */
export function createModeShapes({ drawing, coordinates, stateAt, redraw, units }) {
  const inner = coordinates.filter(({ leg }) => leg !== null);
  const list = element("ol", { className: "modes" }), words = element("p", { className: "note" });
  const slider = element("input", { type: "range", min: "0", max: "1", step: "any", value: String(FIRST) });
  const button = createButton("", () => play(!playing), { className: "play" }), rest = createButton("At rest", () => choose(null));
  const swingRow = element("div", { className: "swing-row" }, button, element("label", {}, "Amplitude", slider), rest);
  slider.setAttribute("aria-label", "Maximum amplitude");
  let modes = [], chosen = null, playing = false, phase = 0;
  let still = null, reached = false; // the machine at rest, and whether its legs reach both ends of the swing
  const ticks = createTicker((seconds) => {
    phase += littleMotion.matches ? (seconds > 0 ? 0.5 : 0) : RATE * seconds;
    redraw();
  });

  const amplitude = () => Number(slider.value) * drawing().swing;
  const factor = () => amplitude() / largestWay(modes[chosen], still.pose, drawing().platform);

  function play(wanted) {
    playing = wanted && chosen !== null;
    button.setAttribute("aria-label", playing ? "Pause" : "Play");
    button.dataset.state = playing ? "playing" : "paused";
    ticks(playing);
  }
  function choose(k) {
    chosen = k;
    phase = 0;
    still = k === null ? null : stateAt(modes[k], 0);
    play(k !== null && !littleMotion.matches);
    tell();
    redraw();
  }
  function tell() {
    [...list.querySelectorAll("button")].forEach((one, k) => one.setAttribute("aria-pressed", String(k === chosen)));
    swingRow.hidden = chosen === null;
    reached = chosen !== null && [-1, 1].every((side) => stateAt(modes[chosen], side * factor()).points.flat().every(Number.isFinite));
    words.textContent = text();
  }
  function text() {
    if (modes.length === 0) return "There are none here: the actuators cannot hold the machine.";
    if (chosen === null) return `Choose a mode to see its shape. ${NOTE}`;
    return reached ? swingText(modes[chosen], inner, factor(), amplitude(), units) : "The legs do not reach so far: choose a smaller amplitude.";
  }
  slider.addEventListener("input", () => {
    tell();
    redraw();
  });
  play(false);

  return {
    element: element("div", { className: "mode-shapes" }, list, swingRow, words),
    /** Other modes, at another pose: the machine comes to rest. */
    show(found) {
      modes = found;
      list.replaceChildren(...modes.map(({ frequency, words: moving, share }, k) => {
        const one = createButton("", () => choose(k === chosen ? null : k));
        one.append(element("b", { text: `${valueText(frequency, 4)} Hz` }), element("span", { text: moving }), element("small", { text: `${Math.round(100 * share)} %`, title: "of the kinetic energy" }));
        return element("li", {}, one);
      }));
      if (chosen === null) tell(); else choose(null);
    },
    /** The same modes in other units. */
    tell,
    stop: () => { if (chosen !== null) choose(null); },
    /** What is seen now: { state, things }; null while nothing swings. */
    seen() {
      if (!reached) return null;
      const share = factor() * Math.cos(2 * Math.PI * phase), mode = modes[chosen], state = stateAt(mode, share);
      return { state, things: [...restThings(drawing(), still.pose), ...collars(drawing(), inner, still, state, mode.inner.map((way) => share * way))] };
    },
  };
}

/** How far what moves most goes in a mode [m]: a point of the platform, a piston or a stage. */
export function largestWay({ step, inner }, pose, platform) {
  const ways = platform.map((point) => size(plus(step.slice(0, 3), cross(step.slice(3), turned(pose.slice(3), point)))));
  return Math.max(...ways, ...inner.map(Math.abs));
}

/** What an amplitude is, and how much larger than a real one. */
function swingText({ frequency, step, inner: ways }, inner, factor, amplitude, { m, rad }) {
  const told = (value, { factor: scale, unit: name }) => `±${valueText(value * scale, 3)} ${name}`;
  const parts = [`the platform's origin moves by ${told(factor * size(step.slice(0, 3)), m)}`, `the platform turns by ${told(factor * size(step.slice(3)), rad)}`];
  for (const name of Object.keys(COLLARS)) {
    const most = factor * Math.max(0, ...ways.filter((_, k) => inner[k].words === name).map(Math.abs));
    if (most > LITTLE * amplitude) parts.push(`${name} (collars on the legs) move by up to ${told(most, m)}`);
  }
  const shown = `Maximum amplitude ${told(amplitude, m)}: ${parts.join(", ")}. One oscillation per second, at any frequency.`;
  if (frequency < 0) return `${shown} Unstable: it does not vibrate, but grows by a factor of e in ${valueText(1000 / (2 * Math.PI * -frequency), 3)} ms.`;
  const real = STANDARD_GRAVITY / (2 * Math.PI * frequency) ** 2;
  return `${shown} Exaggerated: at 1\u00a0g the amplitude there would be ${told(real, m)}; this is ${valueText(amplitude / real, 2)} times as far.`;
}

/** The platform at rest, as lines. */
function restThings({ plates }, pose) {
  const { platform } = plates;
  return platform ? [{ lines: prismEdges(platform.outline, platform.depth), place: poseMatrix(pose), colour: rgbOf(styleValue("--muted")) }] : [];
}

/** A collar on its leg for each piston and stage, as far from the leg's beginning as it has moved. */
function collars({ bars }, inner, { points: atRest }, { points }, ways) {
  return inner.flatMap(({ words, leg }, k) => {
    const bar = bars.find(({ actuator, sleeve }) => actuator === leg && sleeve);
    if (!bar) return [];
    const { colour, place } = COLLARS[words], beyond = size(minus(atRest[bar.end], atRest[bar.start])) - bar.sleeve;
    const along = unit(minus(points[bar.end], points[bar.start])), from = bar.sleeve + place * beyond + ways[k];
    const [below, above] = [-1, 1].map((side) => plus(points[bar.start], times(along, from + side * LONG * bar.radius)));
    return [{ mesh: BAR, place: barMatrix(below, above, WIDE * bar.radius), colour: rgbOf(styleValue(colour)) }];
  });
}
