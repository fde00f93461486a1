// A machine's numbers by their names, and what else the page knows that follows from them.

import { between, middle, minus, plus, size } from "./space.js";

const AXES = ["x", "y", "z"];
const HOME = ["x", "y", "z", "qw", "qx", "qy", "qz"];

/** Names of a machine's numbers, to read and to replace them. */
export function createNames(names) {
  const places = new Map(names.map((name, k) => [name, k]));
  return {
    has: (name) => places.has(name),
    read: (parameters, name) => parameters[places.get(name)],
    point: (parameters, name) => AXES.map((axis) => parameters[places.get(`${name}.${axis}`)]),
    /** The same numbers but for some, by name. */
    with(parameters, changes) {
      const all = Float64Array.from(parameters);
      for (const [name, value] of Object.entries(changes)) all[places.get(name)] = value;
      return all;
    },
    /** Changes that put joints of all legs, on "base" or "platform", to other places. */
    joints: (body, points) => Object.fromEntries(points.flatMap((point, leg) => AXES.map((axis, k) => [`legs[${leg}].${body}.${axis}`, point[k]]))),
  };
}

/**
 * A function that has `data` follow other numbers: home, strokes and the joints that are drawn. Of
 * machines whose geometry is constant the numbers alone are others.
 */
export function createFollower(data) {
  const names = createNames(data.parameter_names), { drawing, actuators } = data;
  const legs = actuators.map((_, k) => `legs[${k}]`);
  if (!names.has("legs[0].base.x")) return (parameters) => { data.parameters = parameters; };
  const plates = Object.fromEntries(["base", "platform"].map((body) => [body, plateAround(drawing.plates[body], drawing[body])]));
  return (parameters) => {
    const joints = Object.fromEntries(["base", "platform"].map((body) => [body, legs.map((leg) => names.point(parameters, `${leg}.${body}`))]));
    const strokes = legs.map((leg) => ["shortest", "longest"].map((end) => names.read(parameters, `${leg}.stroke.${end}`)));
    data.parameters = parameters;
    data.home = HOME.map((part) => names.read(parameters, `home.${part}`));
    const lifted = (point) => plus(point, minus(middle(joints.base), middle(drawing.base)));
    data.drawing = {
      ...drawing, ...joints, origin: lifted(drawing.origin), floor: { ...drawing.floor, at: lifted(drawing.floor.at) },
      plates: { base: plates.base(joints.base), platform: plates.platform(joints.platform) },
    };
    actuators.forEach((actuator, k) => { if (actuator.travel) actuator.travel = strokes[k]; });
    for (const limit of data.limits) {
      const [shortest, longest] = strokes[limit.actuators[0]] ?? [];
      if (limit.family === "stroke") limit.size = (longest - shortest) / 2;
    }
  };
}

/** A function from joints to the plate around them, whose corners go along with the nearest ones. */
function plateAround(plate, joints) {
  if (!plate) return () => plate;
  const nearest = (corner) => joints.reduce((best, joint, k) => (size(minus(corner, joint)) < size(minus(corner, joints[best])) ? k : best), 0);
  const of = plate.outline.map(nearest);
  const centre = middle(of.map((k) => joints[k])), larger = size(minus(plate.outline[0], middle(plate.outline))) / size(minus(joints[of[0]], centre));
  return (moved) => {
    const moves = minus(middle(of.map((k) => moved[k])), centre);
    const way = (k) => between(moves, minus(moved[k], joints[k]), larger);
    return { ...plate, outline: plate.outline.map((corner, n) => plus(corner, way(of[n]))) };
  };
}
