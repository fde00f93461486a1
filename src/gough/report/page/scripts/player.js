// Playing the motion: play and pause, the speed, a slider over time with its singular times marked.

import { createButton, createSelect } from "./controls.js";
import { element } from "./dom.js";
import { createTicker } from "./ticking.js";

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 100, 1000];
const GOOD_LENGTH = 12; // longest time [s] that a motion should take to play at first

/** The first speed: real time, or as much faster as a long motion needs. */
function firstSpeed(duration) {
  if (duration <= GOOD_LENGTH * 1.7) return 1;
  return SPEEDS.find((speed) => duration / speed <= GOOD_LENGTH) ?? SPEEDS[SPEEDS.length - 1];
}

/**
 * A player inside `host` that moves the axis' cursor, with marks at some times; `others` are
 * further controls that stand in its row.
 */
export function createPlayer(host, axis, singularTimes, others = []) {
  const button = createButton("", () => play(!playing), { className: "play" });
  const slider = element("input", { type: "range", min: "0", max: "1000", step: "any", value: "0" });
  const marks = element("div", { className: "marks" }), clock = element("span", { className: "clock" });
  const speed = createSelect(SPEEDS.map((value) => ({ value, text: `${value} ×` })), () => { speedChosen = true; });
  slider.setAttribute("aria-label", "Time");
  speed.setAttribute("aria-label", "Speed of playing");
  host.append(element("div", { className: "player-row" }, button, element("div", { className: "track" }, slider, marks), clock, speed, ...others));
  let start, end, duration, decimals; // of the axis
  let playing = false, speedChosen = false;
  const ticks = createTicker((seconds) => {
    const next = (axis.cursor ?? start) + seconds * Number(speed.value);
    axis.set({ cursor: next > end ? start : next, pointed: null });
  });

  function measure() {
    [start, end] = axis.full;
    duration = end - start;
    decimals = Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(duration || 1))));
    if (!speedChosen) speed.value = String(firstSpeed(duration));
    marks.replaceChildren(...singularTimes.map((time) => {
      const mark = element("i", { title: `singular at ${time.toFixed(decimals)} s` });
      mark.style.left = `${100 * (time - start) / (duration || 1)}%`;
      return mark;
    }));
    show();
  }
  function show() {
    const time = axis.cursor ?? start;
    slider.value = String(1000 * (time - start) / (duration || 1));
    clock.textContent = `${time.toFixed(decimals)} s`;
    slider.setAttribute("aria-valuetext", clock.textContent);
  }
  function play(wanted) {
    playing = wanted;
    button.setAttribute("aria-label", playing ? "Pause" : "Play");
    button.dataset.state = playing ? "playing" : "paused";
    ticks(playing);
  }
  slider.addEventListener("input", () => {
    play(false);
    axis.set({ cursor: start + duration * Number(slider.value) / 1000, pointed: null });
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== " " || event.target.closest("button, select, summary, tr, [type=text]") || host.hidden) return;
    event.preventDefault();
    play(!playing);
  });
  axis.listen((names) => {
    if (names.has("full")) measure();
    if (names.has("cursor")) show();
    if (axis.pointed !== null && playing) play(false); // the pointer in a chart takes over
  });
  measure();
  play(false);
}
