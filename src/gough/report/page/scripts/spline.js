// Splines of degree five through points at given times, at rest at both ends.

/**
 * Speed and acceleration at each time, of every column, so that jerk and its rate do not jump.
 * @param {number[]} times ascending
 * @param {number[][]} rows a point for each of them
 */
export function ratesOf(times, rows) {
  const count = times.length - 2, width = rows[0].length;
  const matrix = Array.from({ length: 2 * count }, () => new Float64Array(2 * count + width));
  for (let k = 0; k < count; k += 1) {
    for (const [side, jerks, snaps] of [[0, JERK_AFTER, SNAP_AFTER], [1, JERK_BEFORE, SNAP_BEFORE]]) {
      const first = k + side, h = times[first + 1] - times[first], sign = side ? 1 : -1;
      [[jerks, h ** 3], [snaps, h ** 4]].forEach(([weights, power], n) => {
        const row = matrix[2 * k + n];
        const add = (column, weight) => { row[column] += sign * weight / power; };
        [first - 1, first].forEach((point, end) => {
          if (point < 0 || point >= count) return;
          add(2 * point, weights.speed[end] * h);
          add(2 * point + 1, weights.acceleration[end] * h * h);
        });
        for (let c = 0; c < width; c += 1) add(2 * count + c, -weights.way * (rows[first + 1][c] - rows[first][c]));
      });
    }
  }
  const found = solved(matrix, 2 * count);
  const rest = new Array(width).fill(0);
  const every = (n) => [rest, ...Array.from({ length: count }, (_, k) => found[2 * k + n]), rest];
  return { speed: every(0), acceleration: every(1) };
}

// Of a quintic over the time h: h³ jerk and h⁴ snap at the end of one piece, and at the start of
// the next, by its way, and by h speed and h² acceleration at its first and last point.
const JERK_AFTER = { way: 60, speed: [-24, -36], acceleration: [-3, 9] };
const JERK_BEFORE = { way: 60, speed: [-36, -24], acceleration: [-9, 3] };
const SNAP_AFTER = { way: 360, speed: [-168, -192], acceleration: [-24, 36] };
const SNAP_BEFORE = { way: -360, speed: [192, 168], acceleration: [36, -24] };

/** Value, speed and acceleration at a time within h, from those at both ends. */
export function quinticAt(time, h, [p, v, a], [q, w, b]) {
  const x = time / h, way = q - p;
  const [V, W, A, B] = [v * h, w * h, a * h * h, b * h * h];
  const c = [
    p, V, A / 2,
    10 * way - 6 * V - 4 * W - 1.5 * A + 0.5 * B,
    -15 * way + 8 * V + 7 * W + 1.5 * A - B,
    6 * way - 3 * V - 3 * W - 0.5 * A + 0.5 * B,
  ];
  return [
    c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * (c[4] + x * c[5])))),
    (c[1] + x * (2 * c[2] + x * (3 * c[3] + x * (4 * c[4] + x * 5 * c[5])))) / h,
    (2 * c[2] + x * (6 * c[3] + x * (12 * c[4] + x * 20 * c[5]))) / (h * h),
  ];
}

/** Solutions of linear equations, from rows of coefficients with the right sides after them. */
function solved(rows, count) {
  for (let k = 0; k < count; k += 1) {
    let best = k;
    for (let n = k + 1; n < count; n += 1) if (Math.abs(rows[n][k]) > Math.abs(rows[best][k])) best = n;
    [rows[k], rows[best]] = [rows[best], rows[k]];
    for (let n = k + 1; n < count; n += 1) {
      const share = rows[n][k] / rows[k][k];
      if (share !== 0) rows[n].forEach((_, c) => { if (c >= k) rows[n][c] -= share * rows[k][c]; });
    }
  }
  const found = [];
  for (let k = count - 1; k >= 0; k -= 1) {
    found[k] = Array.from(rows[k].subarray(count), (value, c) => {
      let sum = value;
      for (let n = k + 1; n < count; n += 1) sum -= rows[k][n] * found[n][c];
      return sum / rows[k][k];
    });
  }
  return found;
}
