// The machine in motion: base, platform and legs, coloured by the force of their actuators.

const HOME_VIEW = { yaw: -0.95, pitch: 0.42, nearer: 1 };

/** State of the machine at a time: pose and forces, between the frames of the file. */
function machineAt(machine, time) {
  const { times: t, pose, force } = machine;
  const above = Math.min(Math.max(countBelow(t, time), 1), t.length - 1);
  const below = Math.max(0, above - 1);
  const share = above === below ? 0 : Math.max(0, Math.min(1, (time - t[below]) / (t[above] - t[below])));
  const at = (k) => pose.map((row) => row[k]);
  const nearer = share < 0.5 ? below : above;
  return {
    pose: poseBetween(at(below), at(above), share),
    force: force.map((row) => {
      const mixed = row[below] + (row[above] - row[below]) * share;
      return Number.isFinite(mixed) ? mixed : row[nearer];
    }),
  };
}

/** Draw the machine into a canvas, turned by dragging; follows the axis' cursor. */
function createMachine(canvas, axis, machine) {
  const view = { ...HOME_VIEW };
  const { target, reach } = machine.bounds;
  const baseOutline = outlineAround(machine.base, 1.14);
  const platformOutline = outlineAround(machine.platform, 1.16);

  function draw() {
    const { context, width, height } = freshContext(canvas);
    if (width < 50) return;
    const theme = themeName();
    const distance = 4.2 * reach / view.nearer;
    const focal = 0.5 * Math.min(width, height) * 4.2;
    const camera = createCamera({ target, distance, yaw: view.yaw, pitch: view.pitch, focal, width, height });
    const { pose, force } = machineAt(machine, axis.cursor ?? axis.full[0]);
    const tops = machine.platform.map((p) => placed(pose, p));
    const normal = turned(pose.slice(3), [0, 0, 1]);
    const side = (point, origin, direction) => Math.sign(dot(minus(point, origin), direction));
    const baseCentre = times(baseOutline.reduce(plus), 1 / baseOutline.length);
    const topCentre = times(tops.reduce(plus), 1 / tops.length);
    const up = [0, 0, 1];
    const outer = side(topCentre, baseCentre, up) || 1;
    const inner = side(baseCentre, topCentre, normal) || -1;

    const drawBase = () => {
      ground(context, camera, baseCentre, outer, machine);
      plate(context, camera, baseOutline, times(up, -outer * machine.thickness), "--base-plate");
      triad(context, camera, baseCentre, reach * 0.22);
    };
    const drawPlatform = () => plate(context, camera, platformOutline.map((p) => placed(pose, p)),
      times(normal, -inner * machine.thickness), "--platform-plate");
    const drawLegs = () => {
      legs(context, camera, machine, tops, force, theme);
      legNumbers(context, camera, machine, tops);
    };
    const behind = [], before = [];
    (side(camera.eye, baseCentre, up) === outer ? behind : before).push(drawBase);
    (side(camera.eye, topCentre, normal) === inner ? behind : before).push(drawPlatform);
    for (const part of [...behind, drawLegs, ...before]) part();
    path(context, camera, machine);
  }

  let start = null;
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    start = { x: event.clientX, y: event.clientY, ...view };
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!start) return;
    view.yaw = start.yaw - (event.clientX - start.x) * 0.008;
    view.pitch = Math.max(-1.5, Math.min(1.5, start.pitch + (event.clientY - start.y) * 0.008));
    draw();
  });
  for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => { start = null; });
  canvas.addEventListener("dblclick", () => { Object.assign(view, HOME_VIEW); draw(); });
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return; // a plain wheel scrolls the page
    event.preventDefault();
    zoom(Math.exp(-event.deltaY * 0.004));
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const turn = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[event.key];
    const nearer = { "+": 1.2, "-": 1 / 1.2 }[event.key];
    if (!turn && !nearer) return;
    event.preventDefault();
    if (nearer) { zoom(nearer); return; }
    view.yaw += turn[0];
    view.pitch = Math.max(-1.5, Math.min(1.5, view.pitch + turn[1]));
    draw();
  });

  function zoom(factor) {
    view.nearer = Math.max(0.4, Math.min(3, view.nearer * factor));
    draw();
  }
  axis.listen((names) => { if (names.has("cursor")) draw(); });
  onNewLook(draw);
  new ResizeObserver(atNextPicture(draw)).observe(canvas);
  return { zoom, view, reset: () => { Object.assign(view, HOME_VIEW); draw(); } };
}

function polygon(context, points) {
  context.beginPath();
  points.forEach(({ x, y }, k) => (k ? context.lineTo(x, y) : context.moveTo(x, y)));
  context.closePath();
}

/** A prism: an outline and the same outline further on; faces turned away are left out. */
function plate(context, camera, outline3d, further, colourName) {
  const near = outline3d, far = outline3d.map((p) => plus(p, further));
  const centre = times([...near, ...far].reduce(plus), 1 / (2 * near.length));
  const faces = [near, far, ...near.map((p, k) => {
    const next = (k + 1) % near.length;
    return [p, near[next], far[next], far[k]];
  })];
  context.lineJoin = "round";
  for (const face of faces) {
    const middle = times(face.reduce(plus), 1 / face.length);
    let normal = cross(minus(face[1], face[0]), minus(face[2], face[1]));
    if (dot(normal, minus(middle, centre)) < 0) normal = times(normal, -1);
    if (dot(normal, minus(camera.eye, middle)) <= 0) continue;
    const light = dot(normal, [0.35, -0.25, 0.9]) / (size(normal) || 1);
    polygon(context, face.map(camera.project));
    context.fillStyle = styleValue(colourName);
    context.fill();
    context.fillStyle = light > 0 ? `rgba(255,255,255,${0.22 * light})` : `rgba(0,0,0,${-0.3 * light})`;
    context.fill();
    context.strokeStyle = styleValue("--plate-edge");
    context.lineWidth = 1;
    context.stroke();
  }
}

/** Legs, the farthest first: a cylinder from the base and a thinner piston to the platform. */
function legs(context, camera, machine, tops, force, theme) {
  const parts = [];
  machine.base.forEach((foot, k) => {
    const top = tops[k], length = size(minus(top, foot));
    const end = between(foot, top, Math.min(0.92, machine.cylinders[k] / length));
    const known = Number.isFinite(force[k]);
    const colour = known ? forceColour(force[k], machine.limit, theme) : null;
    const radius = machine.radii[k];
    parts.push({ from: end, to: top, radius: 0.55 * radius, colour, shift: 0.28 });
    parts.push({ from: foot, to: end, radius, colour, shift: 0 });
    parts.push({ ball: foot, radius: 1.1 * radius });
    parts.push({ ball: top, radius: 0.95 * radius });
  });
  for (const part of parts) part.depth = camera.project(part.ball ?? between(part.from, part.to, 0.5)).depth;
  parts.sort((a, b) => b.depth - a.depth);
  for (const part of parts) if (part.ball) ball(context, camera, part); else rod(context, camera, part);
}

/** A round bar between two points, lighter along its middle; dashed where its force is not known. */
function rod(context, camera, { from, to, radius, colour, shift }) {
  const a = camera.project(from), b = camera.project(to);
  const across = [b.y - a.y, a.x - b.x], norm = Math.hypot(...across) || 1;
  const [ux, uy] = [across[0] / norm, across[1] / norm];
  const [wa, wb] = [Math.max(1.5, radius * a.scale), Math.max(1.5, radius * b.scale)];
  polygon(context, [
    { x: a.x + ux * wa, y: a.y + uy * wa }, { x: b.x + ux * wb, y: b.y + uy * wb },
    { x: b.x - ux * wb, y: b.y - uy * wb }, { x: a.x - ux * wa, y: a.y - uy * wa },
  ]);
  const w = Math.max(wa, wb);
  const body = context.createLinearGradient(a.x + ux * w, a.y + uy * w, a.x - ux * w, a.y - uy * w);
  const tone = colour ?? [125, 125, 125];
  const main = shaded(tone, shift);
  body.addColorStop(0, cssColour(shaded(main, -0.35)));
  body.addColorStop(0.35, cssColour(shaded(main, 0.3)));
  body.addColorStop(0.6, cssColour(main));
  body.addColorStop(1, cssColour(shaded(main, -0.45)));
  context.save();
  if (colour === null) {
    context.globalAlpha = 0.35;
    context.setLineDash([5, 4]);
  }
  context.fillStyle = body;
  context.fill();
  context.globalAlpha = 1;
  context.strokeStyle = colour === null ? styleValue("--alert") : cssColour(shaded(tone, -0.5), 0.6);
  context.lineWidth = colour === null ? 1.5 : 0.75;
  context.stroke();
  context.restore();
}

function ball(context, camera, { ball: centre, radius }) {
  const { x, y, scale } = camera.project(centre);
  const r = Math.max(2, radius * scale);
  const body = context.createRadialGradient(x - r * 0.35, y - r * 0.4, r * 0.1, x, y, r);
  body.addColorStop(0, styleValue("--joint-light"));
  body.addColorStop(1, styleValue("--joint-dark"));
  context.fillStyle = body;
  dot2d(context, x, y, r);
}

/** A square net on the floor, behind the base. */
function ground(context, camera, centre, outer, machine) {
  const floor = centre[2] - outer * machine.thickness;
  const reach = machine.floor, count = 6;
  context.lineWidth = 1;
  context.strokeStyle = styleValue("--floor");
  const at = (x, y) => camera.project([centre[0] + x, centre[1] + y, floor]);
  for (let k = -count; k <= count; k += 1) {
    const s = k / count * reach;
    const ends = [[at(s, -reach), at(s, reach)], [at(-reach, s), at(reach, s)]];
    for (const [p, q] of ends) line(context, p.x, p.y, q.x, q.y);
  }
}

/** The way of the platform's origin. */
function path(context, camera, { pose }) {
  const step = Math.max(1, Math.floor(pose[0].length / 600));
  context.beginPath();
  for (let k = 0; k < pose[0].length; k += step) {
    const { x, y } = camera.project([pose[0][k], pose[1][k], pose[2][k]]);
    if (k) context.lineTo(x, y); else context.moveTo(x, y);
  }
  context.strokeStyle = styleValue("--path");
  context.lineWidth = 1.5;
  context.stroke();
}

/** The base frame's axes. */
function triad(context, camera, origin, length) {
  const from = camera.project(origin);
  context.font = "600 11px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineWidth = 1.5;
  context.strokeStyle = context.fillStyle = styleValue("--muted");
  [["x", [1, 0, 0]], ["y", [0, 1, 0]], ["z", [0, 0, 1]]].forEach(([name, direction]) => {
    const to = camera.project(plus(origin, times(direction, length)));
    const tag = camera.project(plus(origin, times(direction, length * 1.22)));
    line(context, from.x, from.y, to.x, to.y);
    context.fillText(name, tag.x, tag.y);
  });
}

/** The number of each leg, on its cylinder. */
function legNumbers(context, camera, { base, radii }, tops) {
  context.font = "700 11px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  base.forEach((foot, k) => {
    const { x, y, scale } = camera.project(between(foot, tops[k], 0.28));
    context.fillStyle = styleValue("--card");
    dot2d(context, x, y, Math.max(8, 0.75 * radii[k] * scale));
    context.fillStyle = styleValue("--text");
    context.fillText(String(k + 1), x, y + 0.5);
  });
}
