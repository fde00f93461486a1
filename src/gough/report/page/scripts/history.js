// What was before: undo and redo of a state that is replaced, never changed.

const MOST = 200;

/** A history of states; `show` is told which one counts. */
export function createHistory(first, show) {
  const past = [], future = [];
  let now = first;
  const move = (from, to) => {
    if (from.length === 0) return;
    to.push(now);
    now = from.pop();
    show(now);
  };
  return {
    get now() { return now; },
    get canUndo() { return past.length > 0; },
    get canRedo() { return future.length > 0; },
    /** Another state; a `passing` one, while something is dragged, replaces the one before it. */
    set(next, passing = false) {
      if (!passing) {
        past.push(now);
        if (past.length > MOST) past.shift();
        future.length = 0;
      }
      now = next;
      show(now);
    },
    undo: () => move(past, future),
    redo: () => move(future, past),
  };
}
