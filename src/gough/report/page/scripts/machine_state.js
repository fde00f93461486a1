// The machine at a pose: where its points are, what its actuators do, and how far its limits are.

import { stepBetween } from "./attitude.js";
import { matrixOfRows, movingMeshes } from "./body_meshes.js";
import { naturalFrequencies } from "./eigenvalues.js";
import { nearest } from "./series.js";
import { cross, placed, plus, times, turned } from "./space.js";
import { modesOf } from "./vibration.js";

const CONTROL = [1e-13, 0.3]; // largest last step of Newton's method, and longest: machine sizes, radians

/**
 * A machine that answers for its present numbers, `data.parameters`.
 * @param data what the page knows of the machine (see bench.js)
 * @param kernels see kernels.js
 */
export function createMachineState(data, kernels) {
  function points(pose) {
    const { base, platform, weights, offsets } = data.drawing;
    const centers = kernels.joint_centers ? Object.values(kernels.joint_centers({ pose }))[0] : [];
    const moving = weights.map((row, k) => row.reduce(
      (sum, share, c) => (share === 0 ? sum : plus(sum, times(centers.subarray(3 * c, 3 * c + 3), share))), offsets[k],
    ));
    return [...base, ...platform.map((point) => placed(pose, point)), ...moving];
  }

  /** By row, the frames of those moving bodies that have a mesh. */
  function frames(given) {
    const rows = movingMeshes(data.drawing);
    if (rows.length === 0) return {};
    const { frames: all } = kernels.body_frames(given);
    return Object.fromEntries(rows.map((row) => [row, matrixOfRows(all.subarray(12 * row, 12 * row + 12))]));
  }

  /** The machine's numbers with all that it carries, and the wrench on it, at `count` samples. */
  function acting(load, { wrench = null, bodies = [] }, count) {
    const carrying = (body) => loaded(loaded(data.parameters, data.parameter_names, load), data.parameter_names, body);
    const each = new Map(Array.from(new Set(bodies), (body) => [body, carrying(body)]));
    const rows = bodies.length ? bodies.map((body) => each.get(body)) : [loaded(data.parameters, data.parameter_names, load)];
    return {
      parameters: each.size > 1 ? joined(rows) : rows[0],
      wrench: wrench ? Float64Array.from({ length: 6 * count }, (_, k) => load.wrench[k % 6] + wrench[k]) : load.wrench,
    };
  }

  /** All that kernels take, at `count` states of a motion under a load. */
  const stateOf = (pose, load, motion = {}, count = 1) => ({ ...acting(load, motion, count), pose, twist: motion.twist, acceleration: motion.acceleration });

  /** What is asked of the motors, NaN of actuators without a drive; nothing of machines without any. */
  function motors(state, speed, force, count = 1) {
    if (!kernels.motor_demands) return {};
    const [acceleration] = Object.values(kernels.joint_acceleration(state, count));
    const { motor_torque: torque, motor_current: current } = kernels.motor_demands({ parameters: state.parameters, speed, acceleration, force }, count);
    return { torque, current };
  }

  /** The natural frequencies [Hz]; null of a machine that has none. */
  function frequencies(state) {
    if (!kernels.vibrating) return null;
    const { M, K } = kernels.vibrating(state);
    return naturalFrequencies(M, K);
  }

  /** The modes of vibration (vibration.js), with their shapes; null where there are none. */
  function modes(state) {
    const place = data.parameter_names.findIndex((name) => name.startsWith("platform.center_of_mass"));
    const arm = turned(state.pose.slice(3), state.parameters.slice(place, place + 3));
    return modesOf(kernels.vibrating(state), data.vibrating, arm);
  }

  const first = (kernel, state, count = 1) => Object.values(kernels[kernel](state, count))[0];

  return {
    /**
     * At a pose under a load: a payload's mass, its centre and its inertia on the platform, a
     * wrench on it; at rest, or with the twist, the acceleration and what else acts in a motion.
     */
    at(pose, load, motion) {
      const state = stateOf(pose, load, motion);
      const force = first("actuator_force", state);
      return {
        pose, force, q: first("inverse_kinematics", state), margin: kernels.each_margin(state).margin,
        points: points(pose), frames: frames(state), singularity: kernels.singularity(state),
        deflection: kernels.deflection?.(state) ?? null, frequencies: frequencies(state), modes: () => modes(state),
        reactions: kernels.reactions(state), ...motors(state, first("joint_velocity", state), force),
      };
    },
    /** What is drawn of it at a pose. */
    drawn: (pose) => ({ pose, points: points(pose), frames: frames({ parameters: data.parameters, pose }) }),
    /** From which to which multiple of each of some wrenches can act besides, at rest; null if none can. */
    carries(pose, load, directions) {
      const found = kernels.load_range({
        ...stateOf(pose, load),
        max_force: data.actuators.map(({ max_force: most }) => most), direction: Float64Array.from(directions.flat()),
      }, directions.length).range;
      const ranges = directions.map((_, n) => [found[2 * n], found[2 * n + 1]]);
      return ranges.map((range) => (Number.isNaN(range[0]) ? null : range));
    },
    /** The wrench of 1 kg at a point of the platform. */
    weight(pose, centre) {
      const place = data.parameter_names.indexOf("gravity.x");
      const gravity = Array.from(data.parameters.slice(place, place + 3), Number);
      return [...gravity, ...cross(turned(pose.slice(3), centre), gravity)];
    },
    /** Pose, twist and acceleration at `count` places, see way.js; with what the machine must do besides. */
    motion(places, count) {
      const given = kernels.turned_by(places, count);
      return kernels.completed ? kernels.completed(given, count) : given;
    },
    /** The samples of the study's way that are nearest to some moments. */
    sampled(moments) {
      const { time, bodies, ...arrays } = data.study.samples, places = Array.from(moments, (moment) => nearest(time, moment));
      const taken = (array) => joined(places.map((k) => array.subarray(k * array.length / time.length, (k + 1) * array.length / time.length)));
      return { ...Object.fromEntries(Object.entries(arrays).map(([name, array]) => [name, array && taken(array)])), bodies: places.map((k) => bodies[k]) };
    },
    /** What actuators and their motors do, and margins, at `count` states of a motion. */
    along(motion, count, load) {
      const state = stateOf(motion.pose, load, motion, count);
      const [q, speed, force] = ["inverse_kinematics", "joint_velocity", "actuator_force"].map((kernel) => first(kernel, state, count));
      return { q, speed, force, margin: kernels.each_margin(state, count).margin, ...motors(state, speed, force, count) };
    },
    /** Of poses the least margin of all limits, NaN where there is none, and which limit has it. */
    leastMargins(poses) {
      if (data.limits.length === 0) return poses.map(() => ({ margin: Infinity, limit: -1 }));
      const { margin } = kernels.each_margin({ parameters: data.parameters, pose: Float64Array.from(poses.flat()) }, poses.length);
      return poses.map((_, n) => {
        const mine = margin.subarray(n * data.limits.length, (n + 1) * data.limits.length);
        const least = mine.reduce((low, x) => (x < low ? x : low), Infinity);
        return Number.isNaN(mine[0]) ? { margin: NaN, limit: null } : { margin: least, limit: mine.indexOf(least) };
      });
    },
    /** The pose at positions q near another; null where there is none. */
    from(q, guess) {
      const found = kernels.forward_kinematics({ parameters: data.parameters, q, guess, side: [0], control: CONTROL });
      return found.pose.every(Number.isFinite) ? Array.from(found.pose) : null;
    },
    /** The poses at positions q that were found from some of many guesses. */
    allFrom(q, guesses, fits) {
      const found = kernels.forward_kinematics({ parameters: data.parameters, q, guess: Float64Array.from(guesses.flat()), side: [0], control: CONTROL }, guesses.length);
      const poses = guesses.map((_, n) => Array.from(found.pose.subarray(7 * n, 7 * n + 7)));
      return poses.filter((pose, n) => pose.every(Number.isFinite) && found.residual[n] < fits);
    },
    /** The poses that the machine comes to from one that it takes, on the ways to others. */
    followed(start, targets) {
      if (!kernels.followed) return targets;
      const step = Float64Array.from(targets.flatMap((target) => stepBetween(start, target)));
      const { reached } = kernels.followed({ pose: start, step }, targets.length);
      return targets.map((_, n) => Array.from(reached.subarray(7 * n, 7 * n + 7)));
    },
    /** The pose that the machine can take for one that a person asks for. */
    possible(pose) {
      if (!kernels.possible_pose) return pose;
      const found = Array.from(kernels.possible_pose({ pose }).pose);
      return found.every(Number.isFinite) ? found : pose;
    },
  };
}

/** Arrays of numbers one after the other. */
function joined(arrays) {
  const all = new Float64Array(arrays.length * arrays[0].length);
  arrays.forEach((array, k) => all.set(array, k * array.length));
  return all;
}

/**
 * A machine's numbers with a body on the platform that it carries [kg, m, kg m²].
 * @param {string[]} names those of the numbers
 */
function loaded(parameters, names, { mass, centre, inertia }) {
  const all = Float64Array.from(parameters);
  const first = (name) => names.findIndex((one) => one.startsWith(name));
  const [m, c, I] = ["platform.mass", "platform.center_of_mass", "platform.inertia"].map(first);
  const own = all[m], middle = all.slice(c, c + 3);
  inertia.forEach((x, k) => { all[I + k] += x; });
  if (mass === 0) return all;
  const apart = [0, 1, 2].map((k) => centre[k] - middle[k]);
  const reduced = own * mass / (own + mass), square = apart.reduce((sum, x) => sum + x * x, 0);
  all[m] = own + mass;
  for (let k = 0; k < 3; k += 1) {
    all[c + k] += mass / (own + mass) * apart[k];
    all[I + k] += reduced * (square - apart[k] * apart[k]);
  }
  [[0, 1], [0, 2], [1, 2]].forEach(([i, j], k) => { all[I + 3 + k] -= reduced * apart[i] * apart[j]; });
  return all;
}
