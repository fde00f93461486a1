// The workspace around the machine: computed on demand, drawn into the scene, told in words.

import { composed } from "./attitude.js";
import { inBackground } from "./background.js";
import { rgbOf } from "./colours.js";
import { createButton, createSelect } from "./controls.js";
import { element, styleValue } from "./dom.js";
import { valueText } from "./numbers.js";
import { createPanel } from "./panel.js";
import { areaOf, ENDS, familyOf, measureOf, pointsOf, sliceThings, surfaceThings } from "./workspace_drawing.js";
import { raysOf, stepOf } from "./workspace.js";
import { themeName } from "./look.js";

const KINDS = { position: "positions with this orientation", orientation: "orientations at this point" };

export function createWorkspacePanel(bench) {
  const { data, history } = bench;
  if (data.spaces.length === 0) return createPanel("Workspace", element("p", { className: "note", text: "No two of its degrees of freedom are both translations or both rotations: the travel says all." }));
  let space = data.spaces[0], shown = 0, work = null, failure = "";
  const drawn = createMemory(), described = createMemory();

  const kinds = createSelect(data.spaces.map(({ kind }, value) => ({ value, text: KINDS[kind] })), (value) => { space = data.spaces[value]; }, { ariaLabel: "Kind of workspace" });
  const views = element("select", { ariaLabel: "Display of the workspace" });
  views.addEventListener("change", () => { shown = Number(views.value); update(); });
  const start = createButton("Compute", () => compute());
  const cancel = createButton("Cancel", () => work?.cancel());
  const hide = createButton("Hide", () => { bench.workspace = null; update(); });
  const bar = element("progress", { max: 1 });
  bar.setAttribute("aria-label", "progress of the computation");
  const note = element("p", { className: "note" }), legend = element("ul", { className: "ends-list" }), facts = element("dl", { className: "facts-list" });
  note.setAttribute("role", "status");

  async function compute() {
    const { pose, frames, parameters } = history.now;
    const rays = raysOf(space), given = { start: pose, tool: frames.tool, space, directions: [rays.grid, ...rays.slices].flat() };
    bar.value = 0;
    failure = "";
    work = inBackground("exitsAlong", data, given, (share) => { bar.value = share; });
    refresh();
    try {
      const exits = await work.result;
      if (exits) bench.workspace = { ...given, exits, rays, parameters, centre: composed(pose, frames.tool).slice(0, 3) };
    } catch (error) {
      failure = `It cannot be computed: ${error.message}.`;
    }
    work = null;
    update();
  }

  function refresh() {
    const found = bench.workspace;
    const here = Math.min(...bench.now.margin) >= 0, words = failure || (here ? stale(found, history.now) : "The machine is beyond a limit here: workspaces are computed from a pose within all limits.");
    kinds.hidden = data.spaces.length < 2;
    start.hidden = work !== null;
    bar.hidden = cancel.hidden = work === null;
    start.textContent = found ? "Compute again" : "Compute";
    start.disabled = !here;
    views.hidden = hide.hidden = legend.hidden = facts.hidden = !found;
    note.textContent = words;
    if (found) described([found, shown, bench.units.m, bench.units.rad], () => describe(found));
  }
  function update() {
    refresh();
    bench.redraw();
  }

  function describe(found) {
    const options = viewsOf(found.space), view = viewOf(found, shown);
    views.replaceChildren(...options.map(({ text }, value) => element("option", { value: String(value), text, selected: options[value].text === view.text })));
    const { directions, exits } = part(found, view), families = exits.map((exit) => familyOf(data.limits, exit));
    const weights = directions.map((direction) => weightOf(direction, view)), total = weights.reduce((sum, x) => sum + x);
    legend.replaceChildren(...Object.entries(ENDS).flatMap(([family, { text, colour }]) => {
      const share = weights.reduce((sum, x, n) => (families[n] === family ? sum + x : sum), 0) / total;
      const patch = element("i");
      patch.style.background = `var(${colour})`;
      return families.includes(family) ? [element("li", {}, patch, element("span", { text: `limited by: ${text}` }), element("b", { text: `${(100 * share).toFixed(1)} %` }))] : [];
    }));
    facts.replaceChildren(...Object.entries(figures(bench, found, view)).flatMap(([name, text]) => [element("dt", { text: name }), element("dd", { text })]));
  }

  bench.overlays.push(() => {
    const found = bench.workspace;
    if (!found) return [];
    const grey = stale(found, history.now) !== "";
    return drawn([found, shown, grey, themeName()], () => thingsOf(bench, found, viewOf(found, shown), (family) => rgbOf(styleValue(grey ? "--axis" : ENDS[family].colour))));
  });
  bench.listen(refresh);
  const panel = createPanel("Workspace", kinds, element("div", { className: "buttons" }, start, cancel, hide, views), bar, note, legend, facts);
  panel.classList.add("workspace");
  return panel;
}

/** What can be drawn of a space: its surface, its net, and slices across each freedom. */
function viewsOf({ degrees_of_freedom: freedoms }) {
  if (freedoms.length === 2) return [{ text: `area in ${freedoms.join(", ")}`, slice: 0 }];
  return [{ text: "surface", filled: true }, { text: "net", filled: false }, ...freedoms.map((name, slice) => ({ text: `slice across ${name}`, slice }))];
}

function viewOf({ space }, shown) {
  const views = viewsOf(space);
  return views[shown] ?? views[0];
}

/** The rays of what is shown, with their exits. */
function part({ rays: { grid, slices }, exits }, { slice }) {
  if (slice === undefined) return { directions: grid, exits: exits.slice(0, grid.length) };
  const directions = slices[slice], first = grid.length + slices.slice(0, slice).flat().length;
  return { directions, exits: exits.slice(first, first + directions.length) };
}

/** How much of all directions a ray stands for: those of the grid are close to each other at its poles. */
const weightOf = ([x, y], { slice }) => (slice === undefined ? Math.hypot(x, y) : 1);

function thingsOf({ data }, found, view, colourOf) {
  const { directions, exits } = part(found, view), families = exits.map((exit) => familyOf(data.limits, exit));
  const points = pointsOf(found, directions, exits, data.drawing.bounds.reach);
  return view.slice === undefined ? surfaceThings(points, families, view.filled, colourOf) : sliceThings(found.centre, points, families, colourOf);
}

/** Why what was computed is not about the present state; nothing if it is. */
function stale(found, { pose, frames, parameters }) {
  if (!found) return "";
  const same = (a, b) => a.every((x, k) => Math.abs(x - b[k]) < 1e-12);
  if (parameters !== found.parameters) return "For the machine before its numbers changed: compute it again.";
  if (!same(frames.tool, found.tool)) return "For another tool: compute it again.";
  if (!same(pose.slice(3), found.start.slice(3))) return "For another orientation: compute it again.";
  return found.space.kind === "orientation" && !same(pose.slice(0, 3), found.start.slice(0, 3)) ? "At another point: compute it again." : "";
}

/** Extents and how much it is, of what is shown. */
function figures({ units, data }, found, view) {
  const { kind, basis, degrees_of_freedom: freedoms } = found.space, { directions, exits } = part(found, view);
  const turns = kind === "orientation", { factor, unit } = units[turns ? "rad" : "m"];
  const vectors = exits.map(({ distance }, n) => stepOf(basis, directions[n], distance).slice(turns ? 3 : 0, turns ? 6 : 3));
  const along = freedoms.flatMap((name, k) => {
    const places = exits.map(({ distance }, n) => distance * directions[n][k]);
    const [low, high] = [Math.min(...places), Math.max(...places)];
    return high - low > 1e-9 ? [[`${name} from here`, `${valueText(low * factor, 4)} … +${valueText(high * factor, 4)} ${unit}`]] : [];
  });
  const solid = view.slice === undefined;
  const size = solid ? measureOf(vectors) : areaOf(vectors);
  const open = exits.filter(({ ended }) => ended === -1).length;
  return {
    ...Object.fromEntries(along),
    ...(turns ? { "shown around the tool": "axis by direction, angle by distance" } : { [`${solid ? "volume" : "area"} seen from here, about`]: solid ? `${valueText(1000 * size, 3)} l` : `${valueText(1e4 * size, 3)} cm²` }),
    ...(open ? { "rays without an end": `${open} of ${exits.length}, followed for ${valueText(2 * data.drawing.bounds.reach * factor, 3)} ${unit}` } : {}),
  };
}

/** What a function made for the same keys before. */
function createMemory() {
  let last = [], made = null;
  return (keys, make) => {
    if (keys.some((key, k) => key !== last[k])) [last, made] = [keys, make()];
    return made;
  };
}
