// Canvases for tests: they keep what was drawn since they were last cleared, and refuse bad numbers.

const COLOUR = /^(#([0-9a-f]{3}|[0-9a-f]{6})|rgba?\(\d+, ?\d+, ?\d+(, ?\d*\.?\d+(e-?\d+)?)?\)|transparent)$/i;

function finite(name, ...numbers) {
  for (const x of numbers) if (typeof x !== "number" || !Number.isFinite(x)) throw new Error(`${name}(${numbers}): ${x} is no finite number`);
  return numbers;
}

function colour(value) {
  if (value instanceof Gradient || COLOUR.test(value)) return value;
  throw new Error(`${value} is no colour`);
}

class Gradient {
  constructor() { this.stops = []; return guarded(this, "gradient"); }
  addColorStop(place, value) {
    if (!(place >= 0 && place <= 1)) throw new Error(`a gradient's stop is at ${place}`);
    this.stops.push([place, colour(value)]);
  }
}

const CHECKS = {
  fillStyle: colour,
  strokeStyle: colour,
  lineWidth: (value) => { if (!(finite("lineWidth", value)[0] > 0)) throw new Error(`lineWidth ${value}`); return value; },
  globalAlpha: (value) => { if (!(value >= 0 && value <= 1)) throw new Error(`globalAlpha ${value}`); return value; },
  font: (value) => { if (!/\d+px /.test(value)) throw new Error(`font ${value}`); return value; },
  textAlign: oneOf("left", "right", "center"),
  textBaseline: oneOf("top", "middle", "bottom"),
  lineJoin: oneOf("round", "bevel", "miter"),
};
const START = { fillStyle: "#000000", strokeStyle: "#000000", lineWidth: 1, globalAlpha: 1, font: "10px sans-serif",
  textAlign: "left", textBaseline: "bottom", lineJoin: "miter", dash: [], clipped: false };

function oneOf(...words) {
  return (value) => { if (!words.includes(value)) throw new Error(`${value} is none of ${words}`); return value; };
}

/** As a canvas is when it was just made or has a new size. */
function startAgain(context) {
  Object.assign(context[inside], { state: { ...START }, kept: [], path: [], drawings: [] });
}

/** Keep what was drawn: its colours, its way of drawing and its corners. */
function keep(context, kind, style, more) {
  const { state, path, drawings } = context[inside];
  const look = style instanceof Gradient ? style.stops.map(([, c]) => c) : [style];
  drawings.push({ kind, look, dash: state.dash, alpha: state.globalAlpha, clipped: state.clipped, points: [...path], ...more });
}

class Context {
  constructor(canvas) { this[inside] = { canvas }; startAgain(this); return guarded(this, "context"); }
  save() { this[inside].kept.push({ ...this[inside].state }); }
  restore() {
    if (!this[inside].kept.length) throw new Error("restore without save");
    this[inside].state = this[inside].kept.pop();
  }
  setTransform(...numbers) {
    if (numbers.length !== 6) throw new Error("setTransform needs six numbers");
    finite("setTransform", ...numbers);
    if (this[inside].kept.length) throw new Error("a new picture begins before all is restored");
  }
  clearRect(x, y, width, height) {
    finite("clearRect", x, y, width, height);
    if (width >= this[inside].canvas.clientWidth && height >= this[inside].canvas.clientHeight) this[inside].drawings = [];
  }
  beginPath() { this[inside].path = []; }
  moveTo(x, y) { this[inside].path.push(finite("moveTo", x, y)); }
  lineTo(x, y) { this[inside].path.push(finite("lineTo", x, y)); }
  closePath() {}
  rect(x, y, width, height) { finite("rect", x, y, width, height); this[inside].path.push([x, y], [x + width, y + height]); }
  arc(x, y, radius, from, to) {
    finite("arc", x, y, radius, from, to);
    if (radius < 0) throw new Error(`arc with radius ${radius}`);
    this[inside].path.push([x - radius, y - radius], [x + radius, y + radius]);
  }
  clip() { this[inside].state.clipped = true; }
  stroke() { keep(this, "stroke", this.strokeStyle, { width: this.lineWidth }); }
  fill() { keep(this, "fill", this.fillStyle, {}); }
  fillRect(x, y, width, height) {
    finite("fillRect", x, y, width, height);
    keep(this, "fillRect", this.fillStyle, { points: [[x, y], [x + width, y + height]] });
  }
  fillText(text, x, y) { finite("fillText", x, y); keep(this, "text", this.fillStyle, { text: readable(text, "a chart"), points: [[x, y]] }); }
  measureText(text) { return guarded({ width: 6 * readable(text, "a chart").length }, "text"); }
  setLineDash(lengths) { this[inside].state.dash = finite("setLineDash", ...lengths); }
  createLinearGradient(...numbers) { finite("createLinearGradient", ...numbers); return new Gradient(); }
  createRadialGradient(x0, y0, r0, x1, y1, r1) {
    finite("createRadialGradient", x0, y0, r0, x1, y1, r1);
    if (r0 < 0 || r1 < 0) throw new Error("a radial gradient with a negative radius");
    return new Gradient();
  }
}
for (const [name, check] of Object.entries(CHECKS)) {
  Object.defineProperty(Context.prototype, name, {
    get() { return this[inside].state[name]; },
    set(value) { this[inside].state[name] = check(value); },
  });
}

function setSide(canvas, side, value) {
  if (!Number.isInteger(value) || value < 0) throw new Error(`a canvas' ${side} of ${value}`);
  touchLayout(`canvas ${side}`);
  canvas[inside].size[side] = value;
  if (canvas[inside].context) startAgain(canvas[inside].context);
}

class Canvas extends PageElement {
  constructor() { const self = super("canvas"); self[inside].size = { width: 300, height: 150 }; }
  get width() { return this[inside].size.width; }
  set width(value) { setSide(this, "width", value); }
  get height() { return this[inside].size.height; }
  set height(value) { setSide(this, "height", value); }
  getContext(kind) {
    if (kind !== "2d") throw new Error(`no context ${kind} here`);
    return (this[inside].context ??= new Context(this));
  }
}
