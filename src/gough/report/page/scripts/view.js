// A 3-D view: a scene that is turned, zoomed and pointed at, with labels that always face the reader.
//
// Ours, as the renderer is (see there). The scene is drawn out of sight and then copied into an
// ordinary canvas, together with its labels: so it is printed as every other picture is.

import { atNextPicture, element, freshContext, sharpen, styleValue, watchSight } from "./dom.js";
import { onNewLook } from "./look.js";
import { pick } from "./picking.js";
import { createRenderer } from "./renderer.js";
import { createCamera } from "./space.js";

const HOME = { yaw: -0.95, pitch: 0.42, nearer: 1 };
const AWAY = 4.2; // distance of the eye, in radii of what is looked at
const STEEPEST = 1.5; // [rad] above and below the horizon
const BY_DRAGGING = 0.008, BY_KEY = 0.1; // [rad] a pixel, and a key
const ZOOM = 1.2;
const NO_WEBGL = "The machine is not shown: this browser has no WebGL2, or it is switched off. Charts, tables and figures have everything else.";

/**
 * @typedef {object} Scene
 * @property {import("./renderer.js").Thing[]} things
 * @property {{at: number[], text: string, disc?: number}[]} labels with the radius [m] of the disc
 *   that they stand on, if any; long ones widen it
 */

/**
 * A view inside `host` of what `look` gives; `refresh` draws it anew.
 * @param {HTMLElement} host
 * @param {{target: number[], reach: number}} bounds centre and radius of what is looked at
 * @param {() => Scene} look
 * @param {(name: string | null, x: number, y: number) => void} [point] is told the name of the
 *   body under the pointer, and where that is
 * @param {(name: string | null, ray: {eye: number[], along: number[]}) => object | null} [grip] is
 *   told what the pointer takes hold of, and the ray to it; if it gives { move }, that is
 *   told the rays that follow, and the view is not turned
 */
export function createView(host, { target, reach }, look, point = () => {}, grip = () => null) {
  const hidden = element("canvas");
  let renderer = createRenderer(hidden);
  if (!renderer) {
    host.append(element("p", { className: "no-view", text: NO_WEBGL }));
    return { refresh() {}, reset() {}, zoom() {} };
  }
  const canvas = element("canvas", { tabIndex: 0 });
  canvas.setAttribute("role", "img");
  host.prepend(canvas);
  const view = { ...HOME };
  let start = null; // where dragging began
  let held = null; // what is dragged instead of the view

  const cameraFor = (width, height) => createCamera({
    target, distance: AWAY * reach / view.nearer, yaw: view.yaw, pitch: view.pitch,
    focal: AWAY * Math.min(width, height) / 2, width, height,
  });

  function draw() {
    const { context, width, height, ratio } = freshContext(canvas);
    if (width < 50) return;
    sharpen(hidden, width, height);
    const { things, labels } = look();
    const camera = cameraFor(width, height);
    renderer.draw(camera, things.map((thing) => ({ ...thing, width: (thing.width ?? 1) * ratio })));
    context.drawImage(hidden, 0, 0, width, height);
    for (const label of labels) drawLabel(context, camera, label);
  }

  function turn(yaw, pitch) {
    Object.assign(view, { yaw, pitch: Math.max(-STEEPEST, Math.min(STEEPEST, pitch)) });
    draw();
  }
  function zoom(factor) {
    view.nearer = Math.max(0.4, Math.min(3, view.nearer * factor));
    draw();
  }
  function reset() {
    Object.assign(view, HOME);
    draw();
  }
  function under({ clientX, clientY }) {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    const [x, y] = [clientX - left, clientY - top], camera = cameraFor(width, height);
    return { x, y, ray: { eye: camera.eye, along: camera.ray(x, y) }, name: () => pick(camera, look().things, x, y) };
  }
  const pointAt = (event) => {
    const { x, y, name } = under(event);
    point(name(), x, y);
  };

  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    const { name, ray } = under(event);
    held = grip(name(), ray);
    if (!held) start = { x: event.clientX, y: event.clientY, ...view };
  });
  canvas.addEventListener("pointermove", (event) => {
    if (held) { held.move(under(event).ray); return; }
    if (!start) { pointAt(event); return; }
    turn(start.yaw - (event.clientX - start.x) * BY_DRAGGING, start.pitch + (event.clientY - start.y) * BY_DRAGGING);
  });
  for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => { start = held = null; });
  canvas.addEventListener("pointerleave", () => point(null, 0, 0));
  canvas.addEventListener("dblclick", reset);
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return; // a plain wheel scrolls the page
    event.preventDefault();
    zoom(Math.exp(-event.deltaY * 0.004));
  }, { passive: false });
  const keys = {
    ArrowLeft: () => turn(view.yaw - BY_KEY, view.pitch), ArrowRight: () => turn(view.yaw + BY_KEY, view.pitch),
    ArrowUp: () => turn(view.yaw, view.pitch + BY_KEY), ArrowDown: () => turn(view.yaw, view.pitch - BY_KEY),
    "+": () => zoom(ZOOM), "-": () => zoom(1 / ZOOM),
  };
  canvas.addEventListener("keydown", (event) => {
    if (!(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
  });
  hidden.addEventListener("webglcontextlost", (event) => event.preventDefault());
  hidden.addEventListener("webglcontextrestored", () => { renderer = createRenderer(hidden); draw(); });
  onNewLook(draw);
  const sight = watchSight(canvas, draw);
  const refresh = () => { if (sight.seen) draw(); };
  new ResizeObserver(atNextPicture(refresh)).observe(canvas);
  return { canvas, refresh, reset, zoom };
}

function drawLabel(context, camera, { at, text, disc: radius }) {
  const { x, y, scale } = camera.project(at);
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.font = `${radius ? 700 : 600} 11px system-ui, sans-serif`;
  if (radius) {
    const half = Math.max(8, radius * scale), wide = Math.max(half, context.measureText(text).width / 2 + 5);
    context.fillStyle = styleValue("--card");
    context.beginPath();
    context.roundRect(x - wide, y - half, 2 * wide, 2 * half, half);
    context.fill();
  }
  context.fillStyle = styleValue(radius ? "--text" : "--muted");
  context.fillText(text, x, y + 0.5);
}
