// What goes on from picture to picture; few pictures for those who want little motion.

import { littleMotion } from "./look.js";

const LONGEST_GAP = 100; // [ms] between pictures; what takes longer was spent elsewhere
const STILL_FOR = 500; // [ms] between pictures for those who want little motion

/** A switch: while it is on, `advance` is told the seconds since the picture before. */
export function createTicker(advance) {
  let request = 0, before = null;
  function tick(now) {
    request = requestAnimationFrame(tick);
    const pause = littleMotion.matches ? STILL_FOR : 0, passed = before === null ? 0 : now - before;
    if (before !== null && passed < pause) return;
    before = now;
    advance(Math.min(passed, pause + LONGEST_GAP) / 1000);
  }
  return (on) => {
    before = null;
    cancelAnimationFrame(request);
    if (on) request = requestAnimationFrame(tick);
  };
}
