// Assembly modes: other poses of the platform with the actuators where they are, as small pictures.

import { inBackground } from "./background.js";
import { createButton } from "./controls.js";
import { element, freshContext, sharpen } from "./dom.js";
import { onNewLook, themeName } from "./look.js";
import { fixedParts, sceneOf } from "./machine.js";
import { createPanel } from "./panel.js";
import { createRenderer } from "./renderer.js";
import { createCamera, minus, size } from "./space.js";

const STARTS = 10000;
const AWAY = 4.2; // of the eye, in radii of what is looked at
const LOOK = { yaw: -0.95, pitch: 0.25 };
const SAME = 1e-6;
const NO_FLOOR = { floor: new Float32Array(0), axes: new Float32Array(0) };

export function createModesPanel(bench) {
  const { data } = bench;
  let work = null, found = null, failure = "", paint = () => {};
  const search = createButton("Search", () => start());
  const cancel = createButton("Cancel", () => work?.cancel());
  const bar = element("progress", { max: 1 });
  bar.setAttribute("aria-label", "progress of the search");
  const note = element("p", { className: "note" }), gallery = element("div", { className: "gallery" });
  note.setAttribute("role", "status");
  const draw = createThumbnails(bench);

  async function start() {
    const { q } = bench.now, { parameters } = bench.history.now;
    bar.value = 0;
    failure = "";
    work = inBackground("searchModes", data, { q: Array.from(q), starts: STARTS }, (share) => { bar.value = share; });
    refresh();
    try {
      const searched = await work.result;
      if (searched) found = { modes: hereFirst(searched.modes, bench.history.now.pose), starts: searched.starts, q, parameters };
    } catch (error) {
      failure = `It cannot be computed: ${error.message}.`;
    }
    work = null;
    if (found) show();
    refresh();
  }

  function show() {
    const states = found.modes.map((mode) => ({ ...mode, ...bench.machine.at(mode.pose, bench.history.now.load) }));
    gallery.replaceChildren(...states.map((state, k) => {
      const picture = element("canvas");
      const { words, more } = wayTo(state, bench.now), within = Math.min(...state.margin) >= 0 ? "within limits" : "beyond limits";
      const button = createButton("", () => bench.change({ pose: state.pose }), { title: more });
      button.setAttribute("aria-label", `Go to mode ${k + 1}: ${within}; ${more}`);
      button.append(picture, element("b", { text: `${k + 1}, ${within}` }), element("span", { text: words }));
      return button;
    }));
    paint = () => states.forEach((state, k) => draw(gallery.children[k].querySelector("canvas"), state));
    requestAnimationFrame(paint);
  }

  function refresh() {
    const moved = found && (found.parameters !== bench.history.now.parameters || found.q.some((x, k) => Math.abs(x - bench.now.q[k]) > 1e-9));
    search.hidden = work !== null;
    bar.hidden = cancel.hidden = work === null;
    search.textContent = found ? "Search again" : "Search";
    gallery.hidden = !found;
    gallery.classList.toggle("stale", Boolean(moved));
    note.textContent = failure || (found ? foundText(found, moved) : "All poses with the actuators where they are, searched from random starts.");
    [...gallery.children].forEach((button, k) => button.setAttribute("aria-pressed", String(!moved && isAt(found.modes[k].pose, bench.history.now.pose))));
  }
  bench.listen(refresh);
  onNewLook(() => paint());
  return createPanel("Assembly modes", element("div", { className: "buttons" }, search, cancel), bar, note, gallery);
}

const isAt = (a, b) => a.every((x, k) => Math.abs(x - b[k]) < SAME) || a.every((x, k) => Math.abs(x - (k < 3 ? b[k] : -b[k])) < SAME);

const hereFirst = (modes, pose) => [...modes].sort((a, b) => isAt(b.pose, pose) - isAt(a.pose, pose));

/** Whether a machine comes from its present state to another one, as far as det J tells. */
function wayTo(state, now) {
  if (isAt(state.pose, now.pose)) return { words: "as now", more: "the machine as it is now" };
  const sides = [state, now].map(({ singularity }) => Math.sign(singularity.determinant[0]));
  return sides[0] === sides[1]
    ? { words: "same sign of det J", more: "det J has the same sign: whether a path without a singularity leads there is not known" }
    : { words: "behind a singularity", more: "the machine comes there only through a singularity, or when it is assembled again" };
}

function foundText({ modes, starts }, moved) {
  if (modes.length === 0) return `No pose found from ${starts} starts.`;
  const rarest = Math.min(...modes.map(({ times }) => times));
  const count = modes.length === 1 ? "One pose" : `${modes.length} poses`;
  const old = moved ? " They belong to other actuator positions: search again." : "";
  return `${count} found by search from ${starts} starts, the rarest ${rarest === 1 ? "once" : `${rarest} times`}; it is not proved that these are all. A click goes there: the machine itself does not without crossing a singularity or being assembled again, unless det J keeps its sign.${old}`;
}

/** A function that draws the machine in a state into a small canvas, all to the same scale. */
function createThumbnails({ data }) {
  const hidden = element("canvas");
  let renderer = null;
  return (canvas, state) => {
    renderer ??= createRenderer(hidden);
    if (!renderer) return;
    const { context, width, height, ratio } = freshContext(canvas);
    const machine = { ...data.drawing, actuators: data.actuators, pose: data.home.map((x) => [x]) };
    const { origin, bounds } = data.drawing, reach = bounds.reach + size(minus(bounds.target, origin)) / 2;
    sharpen(hidden, width, height);
    const camera = createCamera({ ...LOOK, target: origin, distance: AWAY * reach, focal: AWAY * Math.min(width, height) / 2, width, height });
    const grey = themeName() === "dark" ? [150, 160, 170] : [120, 130, 142];
    const { things } = sceneOf(machine, { ...fixedParts(machine), ...NO_FLOOR }, state, data.actuators.map(() => grey));
    renderer.draw(camera, things.map((thing) => ({ ...thing, width: (thing.width ?? 1) * ratio })));
    context.drawImage(hidden, 0, 0, width, height);
  };
}
