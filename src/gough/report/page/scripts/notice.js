// A message above the page that stays until it is put away.

import { createButton } from "./controls.js";
import { element } from "./dom.js";

/** Tell what went wrong, in words. */
export function notify(text) {
  const host = document.getElementById("notice");
  host.replaceChildren(element("span", { text }), createButton("Close", () => { host.hidden = true; }));
  host.hidden = false;
}
