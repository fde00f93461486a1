// Files that a person gets: texts, and pictures of canvases.

import { element, styleValue } from "./dom.js";

/** Give a file with this name and content, a text or what else a Blob is made of. */
export function saveFile(name, content, type) {
  const link = element("a", { download: name, href: URL.createObjectURL(new Blob([content], { type })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000); // some browsers begin to read only then
}

/** Give a canvas as a PNG file. */
export function savePicture(name, canvas) {
  canvas.toBlob((picture) => saveFile(name, picture, "image/png"));
}

/** A copy of a canvas on the ground of a card. */
export function onGround(canvas) {
  const copy = element("canvas", { width: canvas.width, height: canvas.height }), context = copy.getContext("2d");
  context.fillStyle = styleValue("--card");
  context.fillRect(0, 0, copy.width, copy.height);
  context.drawImage(canvas, 0, 0);
  return { copy, context };
}

/** Ask for a file and give its text to `take`; errors that it throws are told to `refuse`. */
export function openText(accept, take, refuse) {
  const input = element("input", { type: "file", accept });
  input.addEventListener("change", async () => {
    try {
      take(await input.files[0].text());
    } catch (error) {
      refuse(error.message);
    }
  });
  input.click();
}
