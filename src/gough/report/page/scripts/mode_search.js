// Assembly modes by search: Newton's method from many random starts finds poses with given actuators.

import { displaced, stepBetween } from "./attitude.js";

const TOGETHER = 50; // starts between two words on progress
const LONGEST = 10_000; // [ms] that a search goes on
const SAME = 1e-5; // poses nearer than that, in reaches of the machine and radians, are one
const MOST = 100; // a machine with more moves by itself: there is a pose wherever one looks
const FITS = 1e-9; // largest difference of an actuator, in reaches of the machine or radians

/**
 * Poses at positions q of the actuators, each with how often it was found, and from how many starts.
 * It is not proved that there are no others.
 * @param {{q: number[], starts: number}} given with the number of starts, if there is time for them
 * @returns {{modes: {pose: number[], times: number}[], starts: number}}
 */
export function searchModes(data, machine, { q, starts }, progress) {
  const { reach } = data.drawing.bounds, random = createRandom(1);
  const found = [], began = performance.now();
  let done = 0;
  while (done < starts && found.length < MOST && performance.now() - began < LONGEST) {
    for (const pose of machine.allFrom(q, Array.from({ length: TOGETHER }, () => machine.possible(anyPose(data, random))), FITS * reach)) {
      const known = found.find((mode) => stepBetween(mode.pose, pose).every((x, k) => Math.abs(x) < SAME * (k < 3 ? reach : 1)));
      if (known) known.times += 1;
      else found.push({ pose, times: 1 });
    }
    done += TOGETHER;
    progress(done / starts);
  }
  return { modes: found, starts: done };
}

/** A pose somewhere about the machine, also on the other side of its base, turned anyhow, as far as it is free to. */
function anyPose({ home, degrees_of_freedom: freedoms, drawing: { origin, bounds: { reach } } }, random) {
  const free = (axis) => freedoms.some(({ name }) => name === axis);
  const place = ["x", "y", "z"].map((axis, k) => (free(axis) ? origin[k] - home[k] + (2 * random() - 1) * (reach + Math.abs(home[k] - origin[k])) : 0));
  const turn = ["rx", "ry", "rz"].map((axis) => (free(axis) ? 2 * random() - 1 : 0));
  const angle = Math.PI * random() / (Math.hypot(...turn) || 1);
  return displaced(home, [...place, ...turn.map((x) => x * angle)]);
}

/** Numbers from 0 to 1 that are the same each time [Marsaglia 2003, xorshift of 32 bits]. */
function createRandom(seed) {
  let x = seed;
  return () => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return (x >>> 0) / 2 ** 32;
  };
}
