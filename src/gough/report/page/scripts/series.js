// Series of numbers: unpacking, the part in view, its range, and its shape at the screen's resolution.

/** Undo the packing of the file: whole steps from one value to the next, null where there is none. */
export function unpack({ origin, step, rows }) {
  return rows.map((row, n) => {
    const values = new Float64Array(row.length);
    let level = 0;
    row.forEach((change, k) => {
      if (change !== null) level += change;
      values[k] = change === null ? NaN : origin[n] + step[n] * level;
    });
    return values;
  });
}

/** How many of the ascending numbers x are below a limit. */
export function countBelow(x, limit) {
  let low = 0, high = x.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (x[middle] < limit) low = middle + 1; else high = middle;
  }
  return low;
}

/** Place of the number nearest to a value, among ascending ones. */
export function nearest(x, value) {
  const above = Math.min(countBelow(x, value), x.length - 1);
  return above > 0 && value - x[above - 1] < x[above] - value ? above - 1 : above;
}

/** First and last place to draw for a window, one beyond it on either side. */
export function inView(x, [low, high]) {
  return [Math.max(0, countBelow(x, low) - 1), Math.min(x.length - 1, countBelow(x, high))];
}

/** Least and greatest of several series between two places; null where all is missing. */
export function extent(list, first, last, positive = false) {
  let low = Infinity, high = -Infinity;
  for (const values of list) {
    for (let k = first; k <= last; k += 1) {
      const v = values[k];
      if (v < low && (!positive || v > 0)) low = v;
      if (v > high) high = v;
    }
  }
  return low <= high ? [low, high] : null;
}

/** The size below which most values (five in six) stay: what peaks are measured against. */
export function usualSize(list, first, last) {
  const sizes = [];
  for (const values of list) {
    for (let k = first; k <= last; k += 1) if (Number.isFinite(values[k])) sizes.push(Math.abs(values[k]));
  }
  sizes.sort((a, b) => a - b);
  return sizes.length ? sizes[Math.floor(0.84 * (sizes.length - 1))] : 0;
}

/**
 * The line of a series with at most four points in a column of pixels: the first, least, greatest
 * and last, so that no peak is lost. Returns [column, value] pairs; null is a gap.
 */
export function outline(x, values, first, last, toColumn) {
  const points = [];
  let column = null, start = 0, least = 0, greatest = 0;
  const flush = (end) => {
    if (column === null) return;
    const kept = [...new Set([start, least, greatest, end])].sort((a, b) => a - b);
    for (const k of kept) points.push([toColumn(x[k]), values[k]]);
  };
  let before = first;
  for (let k = first; k <= last; k += 1) {
    if (!Number.isFinite(values[k])) {
      flush(before);
      if (points.length && points[points.length - 1] !== null) points.push(null);
      column = null;
      continue;
    }
    const here = Math.floor(toColumn(x[k]));
    if (here !== column) {
      flush(before);
      column = here;
      start = least = greatest = k;
    }
    if (values[k] < values[least]) least = k;
    if (values[k] > values[greatest]) greatest = k;
    before = k;
  }
  flush(before);
  return points;
}
