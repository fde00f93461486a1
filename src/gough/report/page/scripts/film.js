// A film of the machine on its way: the view's pictures while the way is played once, in real time.

import { onGround } from "./saving.js";

const RATE = 30; // pictures a second
const BITS = 8e6; // a second
const LONGEST = 60; // [s] of a film; longer ways are played faster

/** Whether this browser can make films. */
export const canFilm = (view) => Boolean(view.canvas?.captureStream) && typeof MediaRecorder !== "undefined" && MediaRecorder.isTypeSupported("video/webm");

/** Play the way once and give { type, content } of the film. */
export async function filmOf(bench) {
  const duration = bench.along().time.at(-1), { canvas } = bench.view;
  const { copy, context } = onGround(canvas);
  const ground = context.fillStyle;
  const recorder = new MediaRecorder(copy.captureStream(RATE), { mimeType: "video/webm", videoBitsPerSecond: BITS });
  const chunks = [];
  recorder.addEventListener("dataavailable", ({ data }) => chunks.push(data));
  const ended = new Promise((done) => { recorder.addEventListener("stop", done); });
  const faster = Math.max(1, duration / LONGEST);
  recorder.start();
  await new Promise((done) => {
    let begun = null;
    const picture = (now) => {
      begun ??= now;
      const time = Math.min(duration, (now - begun) / 1000 * faster);
      bench.goToTime(time);
      context.fillStyle = ground;
      context.fillRect(0, 0, copy.width, copy.height);
      context.drawImage(canvas, 0, 0, copy.width, copy.height);
      if (time < duration) requestAnimationFrame(picture); else done();
    };
    requestAnimationFrame(picture);
  });
  recorder.stop();
  await ended;
  return { type: "webm", content: new Blob(chunks, { type: "video/webm" }) };
}
