// The robot file of the machine as it was changed in the page.

const VECTORS = { x: 0, y: 1, z: 2, shortest: 0, longest: 1 };
const TENSOR = { xx: [0, 0], yy: [1, 1], zz: [2, 2], xy: [0, 1], xz: [0, 2], yz: [1, 2] };
const HOME = { x: ["position", 0], y: ["position", 1], z: ["position", 2], qw: ["quaternion", 0], qx: ["quaternion", 1], qy: ["quaternion", 2], qz: ["quaternion", 3] };

/**
 * What the file of a machine says, with other numbers. Bodies of which one number differs from
 * `before` are written whole: a file may leave out those without a mass.
 * @param {object} robot what the file said before
 * @param {string[]} names those of the numbers, which are their places in the file
 */
export function changedRobot(robot, names, before, parameters) {
  const made = JSON.parse(JSON.stringify(withWholeLegs(robot)));
  const owner = (name) => name.replace(/\.(mass|center_of_mass|inertia)(\.\w+)?$/, "");
  const others = new Set(names.filter((_, k) => parameters[k] !== before[k]).map(owner));
  names.forEach((name, k) => { if (others.has(owner(name))) write(made, name, parameters[k]); });
  return made;
}

/** The same with everything that all legs share written for each of them. */
function withWholeLegs({ leg, ...robot }) {
  return leg ? { ...robot, legs: robot.legs.map((own) => ({ ...leg, ...own })) } : robot;
}

/** Write a number to its place, making what is on the way there. */
function write(robot, name, value) {
  const keys = name.replace(/\[(\d+)\]/g, ".$1").split("."), last = keys.at(-1);
  if (keys[0] === "home") {
    const [key, place] = HOME[last];
    robot.platform.home[key] ??= [1, 0, 0, 0];
    robot.platform.home[key][place] = value;
    return;
  }
  if (last in TENSOR) {
    const [i, j] = TENSOR[last], tensor = reached(robot, keys.slice(0, -1), () => [[0, 0, 0], [0, 0, 0], [0, 0, 0]]);
    tensor[i][j] = tensor[j][i] = value;
  } else if (last in VECTORS) {
    reached(robot, keys.slice(0, -1), () => [0, 0, 0])[VECTORS[last]] = value;
  } else {
    reached(robot, keys.slice(0, -1), () => ({}))[last] = value;
  }
}

/** What is at the end of a way into tables; made where there is nothing yet. Principal moments become a tensor. */
function reached(table, [key, ...rest], make) {
  if (rest.length) return reached(table[key] ??= {}, rest, make);
  table[key] ??= make();
  if (key === "inertia" && !Array.isArray(table[key][0])) table[key] = table[key].map((moment, i) => [0, 1, 2].map((j) => (i === j ? moment : 0)));
  return table[key];
}
