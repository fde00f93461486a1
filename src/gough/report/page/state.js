// What the parts of the page share: the time looked at, the part in view, the legs that are shown.

/** Shared values; `set` tells all listeners, once for each picture, which of them changed. */
function createState(values) {
  const listeners = [];
  let changed = null;
  const state = {
    ...values,
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

/** Shared values of charts over one axis. `hidden` has the numbers of the series not shown. */
function createAxis({ label, unit, low, high }) {
  return createState({ label, unit, full: [low, high], window: [low, high], cursor: low, pointed: null, hidden: new Set() });
}

const FINEST = 1e-6; // of the whole axis: nothing can be seen in less

/** Show the part of an axis between two values, as far as the axis goes. */
function showWindow(axis, low, high) {
  const [first, last] = axis.full;
  const from = Math.max(first, low), to = Math.min(last, high);
  if (to - from < FINEST * (last - first)) return;
  axis.set({ window: from === first && to === last ? axis.full : [from, to] });
}

/** The function put off until the next picture, and called once for all calls until then. */
function atNextPicture(draw) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(); });
  };
}

/** A new element: its class, its text and its children. */
function element(tag, { className = "", text = null, ...properties } = {}, ...children) {
  const made = Object.assign(document.createElement(tag), { className, ...properties });
  if (text !== null) made.textContent = text;
  made.append(...children);
  return made;
}

/** A canvas' context with sharp pixels, cleared; its size in CSS pixels. */
function freshContext(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth, height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}

/** A colour or other value of the style sheet. */
function styleValue(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

const littleMotion = window.matchMedia("(prefers-reduced-motion: reduce)");
