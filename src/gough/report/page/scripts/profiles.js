// How far along its way a move is: the profiles from rest to rest that studies have.

const RAMP = 1 / 3; // of the duration: for speeding up, and again for slowing down
const NO_TIME = 1e-12; // of the duration: a trapezoid has no roundings, an S-curve nothing between them

/** By name, a function of time and duration T [s] that gives s from 0 to 1, ṡ [1/s] and s̈ [1/s²]. */
export const PROFILES = { quintic, cosine, cycloidal, trapezoidal: ramped(0), "s-curve": ramped(0.5) };

function quintic(t, T) {
  const x = t / T, y = 1 - x;
  return [x * x * x * (10 - 15 * x + 6 * x * x), 30 * x * x * y * y / T, 60 * x * y * (1 - 2 * x) / (T * T)];
}

function cosine(t, T) {
  const w = Math.PI / T;
  return [(1 - Math.cos(w * t)) / 2, w / 2 * Math.sin(w * t), w * w / 2 * Math.cos(w * t)];
}

function cycloidal(t, T) {
  const w = 2 * Math.PI / T;
  return [t / T - Math.sin(w * t) / (2 * Math.PI), (1 - Math.cos(w * t)) / T, w / T * Math.sin(w * t)];
}

/** A ramp up, a cruise and a ramp down; the share `rounding` of a ramp has a rising acceleration. */
function ramped(rounding) {
  return (t, T) => {
    const pieces = ramps(T, rounding);
    const here = pieces.findLastIndex((piece) => t >= piece.start);
    let s = 0, speed = 0;
    for (const { length, from, slope } of pieces.slice(0, here)) [s, speed] = advanced(s, speed, from, slope, length);
    const { start, from, slope } = pieces[here];
    return [...advanced(s, speed, from, slope, t - start), from + slope * (t - start)];
  };
}

/** Stretches of time in which the acceleration is `from` and rises by `slope`. */
function ramps(T, rounding) {
  const ramp = RAMP * T, rise = rounding * ramp;
  const up = [0, rise, ramp - rise, ramp];
  const corners = [...up, ...up.map((time) => T - time).reverse()];
  const a = 1 / (T - ramp) / (ramp - rise);
  const levels = [0, a, a, 0, 0, -a, -a, 0];
  const all = levels.slice(1).map((to, k) => {
    const length = corners[k + 1] - corners[k];
    return { start: corners[k], length, from: levels[k], slope: (to - levels[k]) / length };
  });
  return all.filter(({ length }) => length > NO_TIME * T);
}

function advanced(s, speed, from, slope, time) {
  return [s + time * (speed + time * (from / 2 + time * slope / 6)), speed + time * (from + time * slope / 2)];
}
