// A page inside another, as in a notebook: both are told where the platform is.

import { atNextPicture } from "./dom.js";

/** Tell the page around this one every new pose, and go where it says. */
export function followParentPage(bench) {
  if (window.parent === window) return;
  let told = "";
  bench.listen(atNextPicture(() => {
    told = JSON.stringify(bench.history.now.pose);
    window.parent.postMessage({ gough: { pose: bench.history.now.pose } }, "*");
  }));
  window.addEventListener("message", ({ source, data }) => {
    const pose = data?.gough?.pose;
    if (source !== window.parent || !Array.isArray(pose) || pose.length !== 7 || !pose.every(Number.isFinite)) return;
    if (JSON.stringify(pose) !== told) bench.goTo(pose);
  });
}
