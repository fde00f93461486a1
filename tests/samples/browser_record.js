// Runs before the scripts of a page under test: keeps what they draw, and what goes wrong.

const drawings = new WeakMap(); // of each canvas, since it was last cleared
const paths = new WeakMap(), clipped = new WeakMap();
window.complaints = [];
window.addEventListener("error", ({ message }) => window.complaints.push(message));
window.addEventListener("keydown", (event) => { window.keyHandled = event.defaultPrevented; });
/** When all observers of the page know what is in sight: a new one is told after them. */
window.sightTold = () => new Promise((done) => {
  const observer = new IntersectionObserver(() => { observer.disconnect(); done(); });
  observer.observe(document.documentElement);
});
window.drawingsOf = (canvas) => drawings.get(canvas) ?? [];

const pen = CanvasRenderingContext2D.prototype;

/** Call `before` with the context and the arguments whenever a method is called. */
function follow(method, before) {
  const real = pen[method];
  pen[method] = function followed(...given) {
    for (const x of given) {
      if (typeof x === "number" && !Number.isFinite(x)) throw new Error(`${method}(${given}): ${x} is no finite number`);
      if (/NaN|undefined|Infinity|\[object [^HC]/.test(x)) throw new Error(`a picture says ${x}`);
    }
    before(this, ...given);
    return real.apply(this, given);
  };
}

function keep(context, kind, look, points, more = {}) {
  if (!drawings.has(context.canvas)) drawings.set(context.canvas, []);
  drawings.get(context.canvas).push({ kind, look, points, dash: context.getLineDash(), clipped: clipped.get(context) ?? false, ...more });
}

const add = (context, ...points) => paths.get(context).push(...points);
follow("clearRect", (context) => drawings.set(context.canvas, []));
follow("beginPath", (context) => paths.set(context, []));
follow("moveTo", (context, x, y) => add(context, [x, y]));
follow("lineTo", (context, x, y) => add(context, [x, y]));
follow("roundRect", (context, x, y, w, h) => add(context, [x, y], [x + w, y + h]));
follow("arc", (context, x, y, r) => add(context, [x - r, y - r], [x + r, y + r]));
follow("clip", (context) => clipped.set(context, true));
follow("restore", (context) => clipped.set(context, false));
follow("stroke", (context) => keep(context, "stroke", context.strokeStyle, [...paths.get(context)]));
follow("fill", (context) => keep(context, "fill", context.fillStyle, [...paths.get(context)]));
follow("fillRect", (context, x, y, w, h) => keep(context, "fillRect", context.fillStyle, [[x, y], [x + w, y + h]]));
follow("fillText", (context, text, x, y) => keep(context, "text", context.fillStyle, [[x, y]], { text }));
follow("drawImage", (context, image, x, y) => keep(context, "image", "", [[x, y]]));
