// The machine at a pose: where its points are, what its actuators do, and how far its limits are.

import { stepBetween } from "./attitude.js";
import { placed, plus, times } from "./space.js";

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

  /** All that kernels take, at `count` states of a motion under a load. */
  const stateOf = (pose, { mass, centre, wrench }, { twist, acceleration } = {}) => ({
    parameters: loaded(data.parameters, data.parameter_names, mass, centre), pose, twist, acceleration, wrench,
  });

  /** What is asked of the motors; nothing of machines without drives. */
  function motors(state, speed, force, count = 1) {
    if (!kernels.motor_demands) return {};
    const [acceleration] = Object.values(kernels.joint_acceleration(state, count));
    const { motor_torque: torque, motor_current: current } = kernels.motor_demands({ drives: data.drives, speed, acceleration, force }, count);
    return { torque, current };
  }

  const first = (kernel, state, count = 1) => Object.values(kernels[kernel](state, count))[0];

  return {
    /** The forces of the actuators at a pose under a load, at rest. */
    forces: (pose, load) => first("inverse_dynamics", stateOf(pose, load)),
    /**
     * At a pose under a load: a payload's mass and its centre on the platform, a wrench on it; at
     * rest, or with a twist and an acceleration.
     */
    at(pose, load, motion) {
      const state = stateOf(pose, load, motion);
      const force = first("inverse_dynamics", state);
      return {
        pose, force, q: first("inverse_kinematics", state), margin: kernels.each_margin(state).margin,
        points: points(pose), singularity: kernels.singularity(state),
        reactions: kernels.reactions(state), ...motors(state, first("joint_velocity", state), force),
      };
    },
    /** Pose, twist and acceleration at `count` places, see way.js; with what the machine must do besides. */
    motion(places, count) {
      const given = kernels.turned_by(places, count);
      return kernels.completed ? kernels.completed(given, count) : given;
    },
    /** What actuators and their motors do, and margins, at `count` states of a motion. */
    along(motion, count, load) {
      const state = stateOf(motion.pose, load, motion);
      const [q, speed, force] = ["inverse_kinematics", "joint_velocity", "inverse_dynamics"].map((kernel) => first(kernel, state, count));
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

/**
 * A machine's numbers with a mass at a point of the platform that it carries [kg, m].
 * @param {string[]} names those of the numbers
 */
function loaded(parameters, names, mass, centre) {
  const all = Float64Array.from(parameters);
  const first = (name) => names.findIndex((one) => one.startsWith(name));
  const [m, c, I] = ["platform.mass", "platform.center_of_mass", "platform.inertia"].map(first);
  const own = all[m], middle = all.slice(c, c + 3);
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
