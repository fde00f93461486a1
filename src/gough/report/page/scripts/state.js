// What the parts of a page share: the time looked at, the part in view, the series that are shown.
//
// Ours, because sixty lines link everything; what libraries add to that, a page does not need.

/** Shared values; `set` tells all listeners, once for each picture, which of them changed. */
export function createState(values) {
  const listeners = [];
  let changed = null;
  const state = {
    ...values,
    /** @param {(names: Set<string>) => void} listener is told the names of what changed */
    listen(listener) { listeners.push(listener); },
    set(changes) {
      Object.assign(state, changes);
      if (changed === null) {
        changed = new Set();
        requestAnimationFrame(() => {
          const names = changed;
          changed = null;
          for (const listener of listeners) listener(names);
        });
      }
      for (const name of Object.keys(changes)) changed.add(name);
    },
  };
  return state;
}

/**
 * The axis that charts, player and machine share: `full` and `window` are its ends and those of the
 * part in view, `cursor` the place looked at, `pointed` the chart under the pointer, and `hidden`
 * the numbers of the series that are not shown.
 * @param {{label: string, unit: string, low: number, high: number}} axis
 */
export function createAxis({ label, unit, low, high }) {
  return createState({ label, unit, full: [low, high], window: [low, high], cursor: low, pointed: null, hidden: new Set() });
}

const FINEST = 1e-6; // of the whole axis: nothing can be seen in less

/** Show the part of an axis between two values, as far as the axis goes. */
export function showWindow(axis, low, high) {
  const [first, last] = axis.full;
  const from = Math.max(first, low), to = Math.min(last, high);
  if (to - from < FINEST * (last - first)) return;
  axis.set({ window: from === first && to === last ? axis.full : [from, to] });
}
