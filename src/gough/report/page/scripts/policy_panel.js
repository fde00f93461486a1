// A learned policy acts on the simulated machine: by the same steps, as WebAssembly, with which it was learned.

import { rgbOf } from "./colours.js";
import { createButton, createChooser } from "./controls.js";
import { element, styleValue } from "./dom.js";
import { BALL } from "./meshes.js";
import { valueText } from "./numbers.js";
import { createPanel } from "./panel.js";
import { ballMatrix, plus, turned } from "./space.js";
import { createTicker } from "./ticking.js";

const REST = 1; // [s] after an episode, before the next one begins

/** @param bench whose `data.policy` has weights, first states and kernels of an environment; null without one */
export function createPolicyPanel(bench) {
  const { policy } = bench.data;
  if (!policy) return element("section", { hidden: true });
  const { kernels, weights, starts, period, length, ball } = policy;
  const rows = policy.reference.length / 19, noise = new Float64Array(policy.noise);
  const facts = element("dl", { className: "facts-list" });
  let begun = -1, acts = true, playing = false, waiting = 0, run;

  function begin() {
    const { state, episode } = starts[begun = (begun + 1) % starts.length];
    const reference = policy.reference.slice(0, 19);
    run = { state, episode, clock: 0, total: 0, ended: false, action: weights.map(() => 0) };
    run.seen = kernels.environment_outcome({ state, reference, episode }).observation;
    waiting = 0;
    show();
  }
  function step() {
    const { state, episode, clock } = run, first = Math.min(clock * policy.steps, rows - policy.steps - 1) * 19;
    run.action = weights.map((row) => (acts ? Math.tanh(row.reduce((sum, w, k) => sum + w * run.seen[k], 0)) : 0));
    const reference = policy.reference.slice(first, first + (policy.steps + 1) * 19);
    const found = kernels.environment_step({ state, action: run.action, reference, episode, noise });
    run = { ...run, state: found.next_state, seen: found.observation, clock: clock + 1, total: run.total + found.reward[0] };
    run.ended = found.terminated[0] > 0.5 || run.clock >= length;
  }
  const passing = { now: false };
  function show() {
    const pose = Array.from(run.state.slice(0, 7));
    bench.change({ pose }, passing.now);
    passing.now = true;
    const values = { episode: `${begun + 1} of ${starts.length}`, time: `${valueText(run.clock * period, 3)} s${run.ended ? ", ended" : ""}`, return: valueText(run.total, 4) };
    if (ball) values["ball from the middle"] = `${valueText(1e3 * Math.hypot(run.state[ball.place], run.state[ball.place + 1]), 3)} mm`;
    policy.actions.forEach((name, k) => { values[`action ${name}`] = valueText(run.action[k], 2); });
    facts.replaceChildren(...Object.entries(values).flatMap(([name, text]) => [element("dt", { text: name }), element("dd", { text })]));
  }
  let behind = 0;
  const ticks = createTicker((seconds) => {
    if (run.ended) {
      waiting += seconds;
      if (waiting > REST) begin();
      return;
    }
    for (behind += seconds; behind >= period && !run.ended; behind -= period) step();
    show();
  });
  const play = createButton("Play", () => {
    playing = !playing;
    play.textContent = playing ? "Pause" : "Play";
    passing.now = false;
    if (!run) begin();
    ticks(playing);
  });
  /** Play one episode from the next start at once. */
  bench.playEpisode = () => {
    for (begin(); !run.ended;) step();
    show();
    return run.total;
  };
  const next = createButton("Next start", begin), own = bench.data.parameters;
  bench.listen(() => { // the policy's kernels are of the machine as it was at first
    const other = bench.data.parameters.some((x, k) => !Object.is(x, own[k]));
    if (other && playing) play.click();
    play.disabled = next.disabled = other;
    play.title = next.title = other ? "The policy acts on the machine as it was at first" : "";
  });
  if (ball) bench.overlays.push(() => {
    if (!run || next.disabled) return [];
    const [x, y] = run.state.slice(ball.place, ball.place + 2), pose = Array.from(bench.now.pose);
    const centre = plus(pose.slice(0, 3), turned(pose.slice(3), [x, y, ball.height + ball.radius]));
    return [{ mesh: BALL, place: ballMatrix(centre, ball.radius), colour: rgbOf(styleValue("--alert")) }];
  });
  return createPanel(`Policy for ${policy.name}`,
    createChooser(["Policy acts", "Actions of zero"], (chosen) => { acts = chosen === 0; }),
    element("div", { className: "buttons" }, play, next), facts);
}
