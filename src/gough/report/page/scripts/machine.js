// The machine in motion: base, platform and legs, coloured by the force of their actuators.

import { forceColour, rgbOf, shaded } from "./colours.js";
import { element, styleValue } from "./dom.js";
import { themeName } from "./look.js";
import { BALL, BAR, net, outlineAround, polyline, prism, prismEdges } from "./meshes.js";
import { valueText } from "./numbers.js";
import { countBelow, unpack } from "./series.js";
import { ballMatrix, barMatrix, between, dot, middle, minus, placed, plus, poseBetween, poseMatrix, size, times, turned } from "./space.js";
import { createView } from "./view.js";

const WORDS = "The machine, its legs coloured by actuator force; drag or use the arrow keys to turn it";
const STRIPE = 0.09; // of a leg whose force is not known, as a part of its bars

/** The machine of the file with its numbers unpacked. */
export function unpackMachine(machine) {
  const { times: moments, pose, force } = machine;
  return { ...machine, times: unpack(moments)[0], pose: unpack(pose), force: unpack(force), resolution: force.step };
}

/** State of the machine at a time: pose and forces, between the frames of the file. */
export function machineAt(machine, time) {
  const { times: t, pose, force } = machine;
  const above = Math.min(Math.max(countBelow(t, time), 1), t.length - 1);
  const below = Math.max(0, above - 1);
  const share = above === below ? 0 : Math.max(0, Math.min(1, (time - t[below]) / (t[above] - t[below])));
  const at = (k) => pose.map((row) => row[k]);
  const nearer = share < 0.5 ? below : above;
  return {
    pose: poseBetween(at(below), at(above), share),
    force: force.map((row) => {
      const mixed = row[below] + (row[above] - row[below]) * share;
      return Number.isFinite(mixed) ? mixed : row[nearer];
    }),
  };
}

/** The colour of a leg in a theme; none where its force is not known. */
export function legColour(machine, force, theme) {
  return Number.isFinite(force) ? forceColour(force, machine.limit, theme) : null;
}

/** Draw the machine into `host`, as it is at the axis' cursor. Returns the view. */
export function createMachine(host, axis, machine) {
  const fixed = fixedParts(machine);
  const readout = element("div", { className: "readout", hidden: true });
  const now = () => machineAt(machine, axis.cursor ?? axis.full[0]);
  const view = createView(host, machine.bounds, () => sceneOf(machine, fixed, now()), (name, x, y) => {
    readout.hidden = name === null;
    if (name === null) return;
    const leg = Number(name), { force } = now();
    const value = Number.isFinite(force[leg]) ? `${valueText(force[leg], 4, machine.resolution[leg])} N` : "singular";
    readout.replaceChildren(element("b", { text: `Leg ${leg + 1}` }), element("div", { text: value }));
    Object.assign(readout.style, { left: `${x + 14}px`, top: `${y + 10}px` });
  });
  host.append(readout);
  view.canvas?.setAttribute("aria-label", WORDS);
  axis.listen((names) => { if (names.has("cursor")) view.refresh(); });
  return view;
}

/** What stays as it is: meshes of the plates, the floor, the axes and the way of the platform. */
function fixedParts({ base, platform, pose, radii, thickness, floor, bounds }) {
  const start = pose.map((row) => row[0]);
  const tops = platform.map((point) => placed(start, point));
  const baseCentre = middle(base), topCentre = middle(tops);
  const legs = minus(topCentre, baseCentre);
  const outer = Math.sign(legs[2]) || 1; // the side of each plate on which its legs are
  const inner = -Math.sign(dot(legs, turned(start.slice(3), [0, 0, 1]))) || -1;
  const away = 0.8 * Math.max(...radii); // of a plate from the centres of its joints
  const plate = (points, enlarged, side) => {
    const outline = outlineAround(points, enlarged).map((p) => plus(p, [0, 0, side > 0 ? -away : away + thickness]));
    return { mesh: prism(outline, thickness), edges: prismEdges(outline, thickness) };
  };
  const step = Math.max(1, Math.floor(pose[0].length / 600));
  const way = Array.from({ length: Math.ceil(pose[0].length / step) }, (_, k) => pose.slice(0, 3).map((row) => row[k * step]));
  const arm = (direction, share) => plus(baseCentre, times(direction, share * bounds.reach));
  const axes = [["x", [1, 0, 0]], ["y", [0, 1, 0]], ["z", [0, 0, 1]]];
  return {
    base: plate(base, 1.14, outer),
    platform: plate(platform, 1.16, inner),
    floor: net([baseCentre[0], baseCentre[1], baseCentre[2] - outer * (away + 1.2 * thickness)], floor, 6),
    axes: Float32Array.from(axes.flatMap(([, direction]) => [...baseCentre, ...arm(direction, 0.22)])),
    letters: axes.map(([text, direction]) => ({ text, at: arm(direction, 0.27) })),
    way: polyline(way),
  };
}

/** Everything that is drawn of the machine in a state. */
function sceneOf(machine, fixed, { pose, force }) {
  const theme = themeName();
  const colour = (name) => rgbOf(styleValue(name));
  const tops = machine.platform.map((point) => placed(pose, point));
  const place = poseMatrix(pose);
  return {
    things: [
      { lines: fixed.floor, colour: colour("--floor") },
      { mesh: fixed.base.mesh, colour: colour("--base-plate") },
      { lines: fixed.base.edges, colour: colour("--plate-edge") },
      { lines: fixed.axes, colour: colour("--muted"), width: 1.5 },
      { mesh: fixed.platform.mesh, place, colour: colour("--platform-plate") },
      { lines: fixed.platform.edges, place, colour: colour("--plate-edge") },
      ...machine.base.flatMap((foot, k) => legThings(machine, k, foot, tops[k], legColour(machine, force[k], theme), colour)),
      { lines: fixed.way, colour: colour("--path"), width: 1.5, over: true },
    ],
    labels: [
      ...fixed.letters,
      ...machine.base.map((foot, k) => ({ text: String(k + 1), at: between(foot, tops[k], 0.28), disc: 0.75 * machine.radii[k] })),
    ],
  };
}

/** One leg: a cylinder from the base, a thinner and lighter piston, a joint at either end. */
function legThings(machine, k, foot, top, painted, colour) {
  const name = String(k), radius = machine.radii[k];
  const end = between(foot, top, Math.min(0.92, machine.cylinders[k] / size(minus(top, foot))));
  const body = painted ?? colour("--alert"), stripe = painted ? 0 : STRIPE;
  const joint = colour("--joint");
  return [
    { mesh: BAR, place: barMatrix(foot, end, radius), colour: body, stripe, name },
    { mesh: BAR, place: barMatrix(end, top, 0.55 * radius), colour: shaded(body, 0.28), stripe, name },
    { mesh: BALL, place: ballMatrix(foot, 1.1 * radius), colour: joint, name },
    { mesh: BALL, place: ballMatrix(top, 0.95 * radius), colour: joint, name },
  ];
}
