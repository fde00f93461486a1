// The machine in motion: plates and bars, coloured by the force of their actuators.

import { meshThings, movingMeshes } from "./body_meshes.js";
import { BODIES, forceColour, LIGHTER, rgbOf, shaded } from "./colours.js";
import { element, styleValue } from "./dom.js";
import { themeName } from "./look.js";
import { BALL, BAR, net, polyline, prism, prismEdges } from "./meshes.js";
import { valueText } from "./numbers.js";
import { countBelow, unpack } from "./series.js";
import { ballMatrix, barMatrix, between, matrixProduct, minus, placed, plus, poseBetween, poseMatrix, size, times } from "./space.js";
import { createView } from "./view.js";

const WORDS = "The machine, its legs coloured by actuator force; drag or use the arrow keys to turn it";
const LABEL = 0.28; // where a label stands on the way from its joint along a bar
const STRIPE = 0.09; // of a leg whose force is not known, as a part of its bars

/** The machine of the file with its numbers unpacked. */
export function unpackMachine(machine) {
  const { force } = machine;
  return { ...machine, ...unpackFilm(machine), force: unpack(force), resolution: force.step };
}

/** Where the machine is, over time or whatever else moves it. */
export function unpackFilm({ times: moments, pose, moving, frames, carrier }) {
  return { times: unpack(moments)[0], pose: unpack(pose), moving: unpack(moving), frames: unpack(frames), carrier: carrier && unpack(carrier) };
}

/** State of the machine at a time: pose, forces and points, between the frames of the file. */
export function machineAt(machine, time) {
  const { times: t, force, moving } = machine;
  const above = Math.min(Math.max(countBelow(t, time), 1), t.length - 1);
  const below = Math.max(0, above - 1);
  const share = above === below ? 0 : Math.max(0, Math.min(1, (time - t[below]) / (t[above] - t[below])));
  const posed = (rows) => poseBetween(...[below, above].map((k) => rows.map((row) => row[k])), share);
  const mixed = (row) => row[below] + (row[above] - row[below]) * share;
  const pose = posed(machine.pose);
  const nearer = share < 0.5 ? below : above;
  return {
    pose,
    points: pointsAt(machine, pose, moving.map(mixed)),
    frames: Object.fromEntries(movingMeshes(machine).map((row, k) => [row, poseMatrix(posed(machine.frames.slice(7 * k, 7 * k + 7)))])),
    force: force.map((row) => (Number.isFinite(mixed(row)) ? mixed(row) : row[nearer])),
    carrier: machine.carrier ? posed(machine.carrier) : null,
  };
}

/** All points by their numbers: of the base, of the platform, and the moving ones, x y z each. */
function pointsAt({ base, platform }, pose, moving) {
  const others = Array.from({ length: moving.length / 3 }, (_, k) => moving.slice(3 * k, 3 * k + 3));
  return [...base, ...platform.map((point) => placed(pose, point)), ...others];
}

/** The colour of an actuator's force in a theme; none where it is not known. */
export function actuatorColour({ actuators, scales }, k, force, theme) {
  return Number.isFinite(force[k]) ? forceColour(force[k], scales[actuators[k].scale].limit, theme) : null;
}

/** The force of an actuator in words, with its unit. */
export function forceText({ actuators, scales, resolution }, k, force) {
  return Number.isFinite(force[k]) ? `${valueText(force[k], 4, resolution[k])} ${scales[actuators[k].scale].unit}` : "singular";
}

/** Draw the machine into `host`, as it is at the axis' cursor. Returns the view. */
export function createMachine(host, axis, machine) {
  const fixed = fixedParts(machine);
  const readout = element("div", { className: "readout", hidden: true });
  const now = () => machineAt(machine, axis.cursor ?? axis.full[0]);
  const seen = (state) => sceneOf(machine, fixed, state, forceColours(machine, state.force));
  const view = createView(host, machine.bounds, () => seen(now()), (name, x, y) => {
    readout.hidden = name === null;
    if (name === null) return;
    const k = Number(name);
    readout.replaceChildren(element("b", { text: machine.actuators[k].name }), element("div", { text: forceText(machine, k, now().force) }));
    Object.assign(readout.style, { left: `${x + 14}px`, top: `${y + 10}px` });
  });
  host.append(readout);
  view.canvas?.setAttribute("aria-label", WORDS);
  axis.listen((names) => { if (names.has("cursor")) view.refresh(); });
  return view;
}

/** What stays as it is: meshes of the plates, the floor, the axes and the way of the platform. */
export function fixedParts({ plates, pose, floor, origin, bounds }) {
  const plate = (part) => part && { mesh: prism(part.outline, part.depth), edges: prismEdges(part.outline, part.depth) };
  const step = Math.max(1, Math.floor(pose[0].length / 600));
  const way = Array.from({ length: Math.ceil(pose[0].length / step) }, (_, k) => pose.slice(0, 3).map((row) => row[k * step]));
  const arm = (direction, share) => plus(origin, times(direction, share * bounds.reach));
  const axes = [["x", [1, 0, 0]], ["y", [0, 1, 0]], ["z", [0, 0, 1]]];
  return {
    base: plate(plates.base),
    platform: plate(plates.platform),
    floor: net(floor.at, floor.size, 6),
    axes: Float32Array.from(axes.flatMap(([, direction]) => [...origin, ...arm(direction, 0.22)])),
    letters: axes.map(([text, direction]) => ({ text, at: arm(direction, 0.27) })),
    way: polyline(way),
  };
}

/** The colours of all actuators' forces. */
export const forceColours = (machine, force) => machine.actuators.map((_, k) => actuatorColour(machine, k, force, themeName()));

/** Everything that is drawn of the machine in a state, its actuators' parts in these colours. */
export function sceneOf(machine, fixed, state, painted) {
  const { things, labels } = onBase(machine, fixed, state, painted);
  const floor = { lines: fixed.floor, colour: rgbOf(styleValue("--floor")) };
  if (!state.carrier) return { things: [floor, ...things], labels };
  const carried = poseMatrix(state.carrier);
  return {
    things: [floor, ...things.map((thing) => ({ ...thing, place: thing.place ? matrixProduct(carried, thing.place) : carried }))],
    labels: labels.map((label) => ({ ...label, at: placed(state.carrier, label.at) })),
  };
}

/** What the base carries, in its own frame. */
function onBase(machine, fixed, { pose, points, frames }, painted) {
  const colour = (name) => rgbOf(styleValue(name));
  const paint = (k, otherwise) => (k === null ? { colour: colour(otherwise) } : { colour: painted[k] ?? colour("--alert"), stripe: painted[k] ? 0 : STRIPE, name: String(k) });
  const plate = (part, name, place) => (part ? [{ mesh: part.mesh, place, colour: colour(name) }, { lines: part.edges, place, colour: colour("--plate-edge") }] : []);
  return {
    things: [
      ...plate(fixed.base, "--base-plate"),
      { lines: fixed.axes, colour: colour("--muted"), width: 1.5 },
      ...plate(fixed.platform, "--platform-plate", poseMatrix(pose)),
      ...meshThings(machine, pose, frames, paint),
      ...machine.bars.flatMap((bar) => barThings(bar, points, paint(bar.actuator, BODIES[bar.body] ?? "--joint"))),
      ...machine.balls.map(({ at, radius, actuator, driven }) => ({
        mesh: BALL, place: ballMatrix(points[at], radius), ...(driven ? paint(actuator) : { ...paint(actuator), colour: colour("--joint"), stripe: 0 }),
      })),
      { lines: fixed.way, colour: colour("--path"), width: 1.5, over: true },
    ],
    labels: [
      ...fixed.letters,
      ...machine.labels.map(({ text, at, towards }, k) => ({ text, at: between(points[at], points[towards], LABEL), disc: 0.75 * machine.bars.find(({ actuator }) => actuator === k).radius })),
    ],
  };
}

/** A bar; of a telescope the sleeve at its start and a thinner and lighter piston; what has a mesh is hidden. */
function barThings({ start, end, radius, thin, sleeve, hidden, bare }, points, painted) {
  const [from, to] = [points[start], points[end]], length = size(minus(to, from));
  const lighter = { ...painted, colour: shaded(painted.colour, LIGHTER) };
  if (length === 0) return [];
  if (!sleeve) return hidden ? [] : [{ mesh: BAR, place: barMatrix(from, to, radius), ...(thin ? lighter : painted) }];
  const middle = between(from, to, Math.min(0.92, sleeve / length));
  return [
    ...(bare ? [] : [{ mesh: BAR, place: barMatrix(from, middle, radius), ...painted }]),
    ...(hidden ? [] : [{ mesh: BAR, place: barMatrix(middle, to, 0.55 * radius), ...lighter }]),
  ];
}
