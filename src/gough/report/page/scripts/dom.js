// Elements, canvases and values of the style sheet: the few things that all parts ask of a page.
//
// Ours, because a page is one offline file of tens of kilobytes: a framework is many times that.

/**
 * A new element with its class, text and other properties, and its children.
 * @param {string} tag
 * @param {{className?: string, text?: string | null}} [properties]
 * @param {...(Node | string)} children
 */
export function element(tag, { className = "", text = null, ...properties } = {}, ...children) {
  const made = Object.assign(document.createElement(tag), { className, ...properties });
  if (text !== null) made.textContent = text;
  made.append(...children);
  return made;
}

/** The function put off until the next picture, and called once for all calls until then. */
export function atNextPicture(draw) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(); });
  };
}

/**
 * Whether an element is in sight, or soon will be, as `seen`; `appear` is called whenever it comes
 * there, so that nothing is drawn for nobody.
 */
export function watchSight(watched, appear) {
  const sight = { seen: false };
  new IntersectionObserver((entries) => {
    sight.seen = entries[entries.length - 1].isIntersecting;
    if (sight.seen) appear();
  }, { rootMargin: "200px" }).observe(watched);
  return sight;
}

/** Give a canvas as many pixels as the screen has for it; returns how many for each of CSS. */
export function sharpen(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const sides = { width: Math.round(width * ratio), height: Math.round(height * ratio) };
  if (canvas.width !== sides.width || canvas.height !== sides.height) Object.assign(canvas, sides);
  return ratio;
}

/** A canvas' context with sharp pixels, cleared; its size in CSS pixels. */
export function freshContext(canvas) {
  const width = canvas.clientWidth, height = canvas.clientHeight;
  const ratio = sharpen(canvas, width, height);
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height, ratio };
}

/** A colour or other value of the style sheet. */
export function styleValue(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** A straight line on a canvas, in its present style. */
export function line(context, x0, y0, x1, y1) {
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
}

/** A filled disc on a canvas, in its present style. */
export function disc(context, x, y, radius) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}
