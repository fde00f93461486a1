// What the machine is: geometry of hexapods, masses of all; changed here, everything follows.

import { createButton } from "./controls.js";
import { element } from "./dom.js";
import { circleOf, withCircle } from "./joint_circle.js";
import { createPanel, numberRow } from "./panel.js";
import { createNames } from "./parameters.js";
import { changedRobot } from "./robot_file.js";
import { saveFile } from "./saving.js";
import { tomlText } from "./toml.js";

const BODIES = { base: "Joints at the base", platform: "Joints at the platform" };
const AXES = ["x", "y", "z"];
const INERTIA = ["xx", "yy", "zz", "xy", "xz", "yz"];
const KILOGRAMS = () => ({ unit: "kg", factor: 1 });

export function createGeometryPanel(bench) {
  const { data, history } = bench;
  const first = data.parameters, names = createNames(data.parameter_names);
  const hexapod = names.has("legs[0].base.x");
  const now = () => history.now.parameters;
  const change = (changes, passing) => bench.change({ parameters: names.with(now(), changes) }, passing);
  const own = { bench, names, first, now, change };
  const note = element("p", { className: "note" });
  note.setAttribute("role", "status");
  const save = createButton("Save as a robot file", () => saveFile(`${data.name}-changed.toml`, robotText(data, first, now()), "application/toml"));
  const reset = createButton("Reset", () => bench.change({ parameters: first }));
  bench.listen(() => {
    const wrong = problems(bench);
    note.textContent = wrong;
    note.classList.toggle("alert", wrong !== "");
    reset.disabled = now() === first;
    save.disabled = wrong !== "";
  });
  return createPanel(
    hexapod ? "Geometry and masses" : "Masses",
    ...(hexapod ? geometry(own) : []),
    ...masses(own, hexapod),
    ...(hexapod ? [eachJoint(own)] : []),
    note,
    element("div", { className: "buttons" }, reset, save),
  );
}

/** The machine with these numbers, as the text of a robot file. */
function robotText(data, before, parameters) {
  const robot = changedRobot(data.robot, data.parameter_names, before, parameters);
  return tomlText({ ...robot, name: `${robot.name}-changed` });
}

function geometry({ bench, names, first, now, change }) {
  const legs = bench.data.actuators.map((_, k) => `legs[${k}]`);
  const joints = (body, parameters) => legs.map((leg) => names.point(parameters, `${leg}.${body}`));
  const circles = Object.entries(BODIES).map(([body, title]) => {
    const at = circleOf(joints(body, first)), reach = Math.max(at.radius, 1e-3);
    const row = (label, key, words, low, high, unit, least) => numberRow(bench, {
      label, title: `${words} of the ${title.toLowerCase()}`, low, high, unit, least,
      read: () => circleOf(joints(body, now()))[key],
      write: (value, passing) => change(names.joints(body, withCircle(joints(body, now()), { [key]: value })), passing),
    });
    return element("fieldset", { className: "sliders" }, element("legend", { text: title }),
      row("radius", "radius", "radius", 0.5 * at.radius, 1.5 * at.radius, () => bench.units.m, 1e-6),
      row("pair", "spread", "angle between pairs", 0, 2 * Math.PI / 3, () => bench.units.rad, 0),
      row("height", "height", "height", at.height - reach, at.height + reach, () => bench.units.m));
  });
  const strokes = ["shortest", "longest"].map((end) => {
    const key = (leg) => `${leg}.stroke.${end}`, value = () => mean(legs.map((leg) => names.read(now(), key(leg))));
    return { value, row: () => numberRow(bench, {
      label: end, title: `${end} length of all legs`, least: 0, read: value, unit: () => bench.units.m,
      write: (wanted) => { const more = wanted - value(); change(Object.fromEntries(legs.map((leg) => [key(leg), names.read(now(), key(leg)) + more]))); },
    }) };
  });
  const home = numberRow(bench, {
    label: "home z", title: "height of the home pose", read: () => names.read(now(), "home.z"),
    write: (value) => change({ "home.z": value }), unit: () => bench.units.m,
  });
  const limited = strokes.every(({ value }) => Number.isFinite(value()));
  return [...circles, element("fieldset", {}, element("legend", { text: limited ? "Legs' lengths, and home" : "Home" }), ...(limited ? strokes.map(({ row }) => row()) : []), home)];
}

/** A row for the platform; of a hexapod one for all cylinders and one for all pistons, else one a body. */
function masses({ bench, names, now, change }, hexapod) {
  const { data } = bench, parts = (part) => data.actuators.map((_, k) => `legs[${k}].${part}`);
  const groups = hexapod
    ? { platform: ["platform"], "each cylinder": parts("cylinder"), "each piston": parts("piston") }
    : { platform: ["platform"], ...Object.fromEntries(data.robot.bodies.map(({ name }, k) => [name, [`bodies[${k}]`]])) };
  const rows = Object.entries(groups).map(([label, bodies]) => {
    const value = () => mean(bodies.map((body) => names.read(now(), `${body}.mass`)));
    return numberRow(bench, {
      label, title: `mass of ${label}; its inertia changes in proportion`, least: 0, read: value, unit: KILOGRAMS,
      write: (mass) => change(Object.assign({}, ...bodies.map((body) => weighed(names, now(), body, mass - value())))),
    });
  });
  return [element("fieldset", {}, element("legend", { text: "Masses, without the payload; inertias in proportion" }), ...rows)];
}

/** Changes that make a body heavier and its inertia greater in proportion. */
function weighed(names, parameters, body, more) {
  const mass = names.read(parameters, `${body}.mass`), factor = mass > 0 ? (mass + more) / mass : 1;
  const inertia = INERTIA.map((part) => [`${body}.inertia.${part}`, factor * names.read(parameters, `${body}.inertia.${part}`)]);
  return { [`${body}.mass`]: mass + more, ...Object.fromEntries(inertia) };
}

/** All coordinates of all joints, folded away. */
function eachJoint({ bench, names, now, change }) {
  const triple = (title, name) => element("div", { className: "triple" }, element("span", { text: title }), ...AXES.map((axis) => numberRow(bench, {
    label: axis, title: `${axis} of ${name}`, read: () => names.read(now(), `${name}.${axis}`),
    write: (value) => change({ [`${name}.${axis}`]: value }), unit: () => bench.units.m,
  })));
  const legs = bench.data.actuators.map(({ title }, k) => element("fieldset", {}, element("legend", { text: title }), triple("base", `legs[${k}].base`), triple("platform", `legs[${k}].platform`)));
  return element("details", {}, element("summary", { text: "Each joint" }), ...legs);
}

/** What Gough would refuse of the machine as it is now, in words. */
function problems({ data, atHome }) {
  for (const [k, { name, travel }] of data.actuators.entries()) {
    if (travel && !(travel[0] < travel[1])) return `The shortest length of ${name} is not below its longest.`;
    if (travel && !(atHome.q[k] >= travel[0] && atHome.q[k] <= travel[1])) return `At home, ${name} would be beyond its stroke: change its lengths or the home pose.`;
  }
  return Number.isFinite(atHome.force[0]) ? "" : "The machine is singular at home.";
}

const mean = (values) => values.reduce((sum, x) => sum + x, 0) / values.length;
