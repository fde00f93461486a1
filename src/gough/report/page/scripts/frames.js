// Coordinates as people have them: of a tool on the platform, in a work frame that they chose.

import { composed, inverted } from "./attitude.js";

const NOWHERE = [0, 0, 0, 1, 0, 0, 0];

/** The work frame in the base, and the tool on the platform: both as poses. */
export const NO_FRAMES = { work: NOWHERE, tool: NOWHERE };

/** The tool's pose in the work frame, from the platform's in the base. */
export function seenIn({ work, tool }, pose) {
  return composed(inverted(work), composed(pose, tool));
}

/** The platform's pose in the base, from the tool's in the work frame. */
export function placedBy({ work, tool }, seen) {
  return composed(work, composed(seen, inverted(tool)));
}
