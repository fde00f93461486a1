// Assembly modes: other poses of the platform with the actuators where they are, as small pictures.

import { inBackground } from "./background.js";
import { createButton } from "./controls.js";
import { element, freshContext, sharpen } from "./dom.js";
import { themeName } from "./look.js";
import { fixedParts, sceneOf } from "./machine.js";
import { createPanel } from "./panel.js";
import { createRenderer } from "./renderer.js";
import { createCamera } from "./space.js";

const STARTS = 3000;
const AWAY = 4.2, NEARER = 0.62; // of the eye, in radii of the machine; smaller, as modes reach farther
const LOOK = { yaw: -0.95, pitch: 0.25 };

export function createModesPanel(bench) {
  const { data } = bench;
  let work = null, found = null, failure = "";
  const search = createButton("Search", () => start());
  const cancel = createButton("Cancel", () => work?.cancel());
  const bar = element("progress", { max: 1 });
  bar.setAttribute("aria-label", "share of the search that is done");
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
      const modes = await work.result;
      if (modes) found = { modes, q, parameters };
    } catch (error) {
      failure = `It cannot be computed: ${error.message}.`;
    }
    work = null;
    if (found) show();
    refresh();
  }

  function show() {
    const states = found.modes.map((mode) => ({ ...mode, ...bench.machine.at(mode.pose, bench.history.now.load) }));
    const own = sideOf(bench.atHome);
    gallery.replaceChildren(...states.map((state, k) => {
      const picture = element("canvas");
      const words = sideOf(state) === own ? "det J as at home" : "behind a singularity";
      const button = createButton("", () => bench.change({ pose: state.pose }), {
        title: `${words}: ${sideOf(state) === own ? "whether a way without a singularity leads there is not known" : "the machine comes there through a singularity, or assembled anew"}`,
      });
      button.setAttribute("aria-label", `Go to mode ${k + 1}: ${words}`);
      button.append(picture, element("span", { text: `${k + 1}: ${words}` }));
      requestAnimationFrame(() => draw(picture, state));
      return button;
    }));
  }

  function refresh() {
    const moved = found && (found.parameters !== bench.history.now.parameters || found.q.some((x, k) => Math.abs(x - bench.now.q[k]) > 1e-9));
    search.hidden = work !== null;
    bar.hidden = cancel.hidden = work === null;
    search.textContent = found ? "Search anew" : "Search";
    gallery.hidden = !found;
    gallery.classList.toggle("stale", Boolean(moved));
    note.textContent = failure || (found ? foundText(found.modes, moved) : "All poses with the actuators where they are, searched from random starts.");
    [...gallery.children].forEach((button, k) => button.setAttribute("aria-pressed", String(!moved && bench.history.now.pose.every((x, n) => Math.abs(x - found.modes[k].pose[n]) < 1e-6))));
  }
  bench.listen(refresh);
  return createPanel("Assembly modes", element("div", { className: "buttons" }, search, cancel), bar, note, gallery);
}

const sideOf = ({ singularity }) => Math.sign(singularity.determinant[0]);

function foundText(modes, moved) {
  const rarest = Math.min(...modes.map(({ times }) => times));
  const count = modes.length === 1 ? "One pose" : `${modes.length} poses`;
  const old = moved ? " They are of other actuator positions: search anew." : "";
  return `${count} found by search from ${STARTS} starts, the rarest ${rarest === 1 ? "once" : `${rarest} times`}; that these are all is not proved (gough modes does). Limits and collisions do not count here.${old}`;
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
    const { target, reach } = data.drawing.bounds;
    sharpen(hidden, width, height);
    const camera = createCamera({ ...LOOK, target, distance: AWAY * reach / NEARER, focal: AWAY * Math.min(width, height) / 2, width, height });
    const grey = themeName() === "dark" ? [150, 160, 170] : [120, 130, 142];
    const { things } = sceneOf(machine, fixedParts(machine), state, data.actuators.map(() => grey));
    renderer.draw(camera, things.map((thing) => ({ ...thing, width: (thing.width ?? 1) * ratio })));
    context.drawImage(hidden, 0, 0, width, height);
  };
}
