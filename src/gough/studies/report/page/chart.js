// A chart of several series over a shared axis: zoom by dragging, values under the pointer.

const CHART_MARGIN = { left: 62, right: 14, top: 12, bottom: 26 };
const CHART_FONT = '11px system-ui, -apple-system, "Segoe UI", sans-serif';
const PEAK_LIMIT = 8; // an axis is cut where peaks exceed the usual values this many times
const LEAST_SPAN = 0.002; // of the values' size: less than that is rounding, not a change

/** The values that the vertical axis spans; `cut` says that peaks go beyond it. */
function verticalRange({ list, first, last, log, limits, mayCut }) {
  const found = extent(list, first, last, log);
  if (found === null) return { low: 0, high: 1, cut: false };
  let [low, high] = found;
  if (log) return { low: low / 1.15, high: Math.max(high * 1.15, low * 1.5), cut: false };
  let cut = false;
  if (mayCut) {
    const usual = usualSize(list, first, last);
    if (usual > 0 && Math.max(high, -low) > PEAK_LIMIT * usual) {
      [low, high, cut] = [Math.max(low, -3 * usual), Math.min(high, 3 * usual), true];
    }
  }
  const least = LEAST_SPAN * Math.max(Math.abs(low), Math.abs(high));
  if (high - low < least) [low, high] = [(low + high - least) / 2, (low + high + least) / 2];
  const span = high - low || 1;
  for (const { value } of limits) {
    if (value > high && value - high < 0.5 * span) high = value;
    if (value < low && low - value < 0.5 * span) low = value;
  }
  const room = 0.06 * (high - low || span);
  return { low: low - room, high: high + room, cut };
}

/** Places of names along an axis with room for `most` of them. */
function everyName(count, most) {
  const stride = Math.ceil(count / most);
  return Array.from({ length: Math.ceil(count / stride) }, (_, k) => k * stride);
}

/**
 * Draw a chart into `host`. `spec`: title, unit, x, series (label, colour, values), limits (value,
 * label), log, resolution, marks (places to mark on the axis), mayCut, points (draw each point).
 */
function createChart(host, axis, spec) {
  const picture = element("canvas", { className: "chart-picture" });
  const overlay = element("canvas", { className: "chart-overlay" });
  const readout = element("div", { className: "readout", hidden: true });
  const note = element("div", { className: "chart-note", hidden: true });
  const frame = element("div", { className: "chart-frame" }, picture, overlay, readout);
  host.append(frame, note);
  overlay.setAttribute("role", "img");
  overlay.setAttribute("aria-label", `${spec.title} [${spec.unit}] over ${axis.label} [${axis.unit}]`);

  let place = null; // how values become pixels, from the last drawing
  let dragged = null; // from where to where, in pixels
  let waiting = true, onScreen = false;
  const shown = () => spec.series.filter((_, k) => !spec.legend.hidden.has(k));

  function measure(width, height) {
    const [first, last] = inView(spec.x, axis.window);
    const list = shown().map((s) => s.values);
    const range = verticalRange({ list, first, last, limits: spec.limits, log: spec.log, mayCut: spec.mayCut });
    const right = width - CHART_MARGIN.right, bottom = height - CHART_MARGIN.bottom;
    const [from, to] = axis.window;
    const map = spec.log ? Math.log10 : (v) => v;
    const perX = (right - CHART_MARGIN.left) / (to - from || 1);
    const perY = (bottom - CHART_MARGIN.top) / (map(range.high) - map(range.low));
    return {
      first, last, range, right, bottom,
      toX: (x) => CHART_MARGIN.left + (x - from) * perX,
      fromX: (pixel) => from + (pixel - CHART_MARGIN.left) / perX,
      toY: (y) => bottom - (map(y) - map(range.low)) * perY,
    };
  }

  function drawAxes(context) {
    const { range, right, bottom, toX, toY } = place;
    const rows = Math.max(2, Math.floor((bottom - CHART_MARGIN.top) / 34));
    const vertical = (spec.log ? logTicks : linearTicks)(range.low, range.high, rows);
    const columns = Math.max(2, Math.floor((right - CHART_MARGIN.left) / 80));
    const across = axis.names ? everyName(axis.names.length, columns) : linearTicks(...axis.window, columns);
    context.font = CHART_FONT;
    context.lineWidth = 1;
    context.strokeStyle = styleValue("--grid");
    context.fillStyle = styleValue("--muted");
    context.textAlign = "right";
    context.textBaseline = "middle";
    const texts = tickTexts(vertical);
    vertical.forEach((tick, k) => {
      const y = Math.round(toY(tick)) + 0.5;
      line(context, CHART_MARGIN.left, y, right, y);
      context.fillText(texts[k], CHART_MARGIN.left - 8, y);
    });
    context.textBaseline = "top";
    context.textAlign = "center";
    const words = axis.names ? across.map((k) => axis.names[k]) : tickTexts(across);
    across.forEach((tick, k) => {
      const x = Math.round(toX(tick)) + 0.5;
      line(context, x, CHART_MARGIN.top, x, bottom);
      const text = k === across.length - 1 && !axis.names ? `${words[k]} ${axis.unit}` : words[k];
      const half = context.measureText(text).width / 2;
      context.fillText(text, Math.min(x, right + CHART_MARGIN.right - half - 2), bottom + 7);
    });
    if (range.low < 0 && range.high > 0 && !spec.log) {
      context.strokeStyle = styleValue("--axis");
      line(context, CHART_MARGIN.left, Math.round(toY(0)) + 0.5, right, Math.round(toY(0)) + 0.5);
    }
  }

  function drawMarks(context) {
    context.save();
    context.strokeStyle = styleValue("--alert");
    context.setLineDash([2, 3]);
    for (const mark of spec.marks) {
      const x = place.toX(mark);
      line(context, x, CHART_MARGIN.top, x, place.bottom);
    }
    context.fillStyle = context.strokeStyle = styleValue("--limit");
    context.setLineDash([7, 4]);
    context.textAlign = "left";
    let labelled = Infinity;
    for (const { value, label } of spec.limits) {
      if (value < place.range.low || value > place.range.high) continue;
      const y = place.toY(value);
      line(context, CHART_MARGIN.left, y, place.right, y);
      if (Math.abs(y - labelled) < 16) continue;
      labelled = y;
      const below = y - CHART_MARGIN.top < 16;
      context.textBaseline = below ? "top" : "bottom";
      context.fillText(label, CHART_MARGIN.left + 6, y + (below ? 3 : -2));
    }
    context.restore();
  }

  function drawSeries(context) {
    context.lineWidth = 1.6;
    context.lineJoin = "round";
    for (const { values, colour } of shown()) {
      context.strokeStyle = context.fillStyle = styleValue(colour);
      const points = outline(spec.x, values, place.first, place.last, place.toX);
      context.beginPath();
      let pen = false;
      for (const point of points) {
        if (point === null || (spec.log && !(point[1] > 0))) { pen = false; continue; }
        const [x, y] = [point[0], Math.max(-1e4, Math.min(1e4, place.toY(point[1])))];
        if (pen) context.lineTo(x, y); else context.moveTo(x, y);
        pen = true;
      }
      context.stroke();
      if (spec.points) for (const point of points) if (point) dot2d(context, point[0], place.toY(point[1]), 3);
    }
  }

  function draw() {
    const { context, width, height } = freshContext(picture);
    if (width < 120) return;
    place = measure(width, height);
    drawAxes(context);
    context.save();
    context.beginPath();
    context.rect(CHART_MARGIN.left, CHART_MARGIN.top - 4, place.right - CHART_MARGIN.left, place.bottom - CHART_MARGIN.top + 8);
    context.clip();
    drawMarks(context);
    drawSeries(context);
    context.restore();
    note.hidden = !place.range.cut;
    note.textContent = place.range.cut ? "The axis is cut: near singular configurations the values grow beyond it." : "";
    waiting = false;
    drawOverlay();
  }

  function drawOverlay() {
    const { context } = freshContext(overlay);
    if (!place) return;
    if (dragged) {
      const [a, b] = [Math.min(...dragged), Math.max(...dragged)];
      context.fillStyle = styleValue("--selection");
      context.fillRect(a, CHART_MARGIN.top, b - a, place.bottom - CHART_MARGIN.top);
    }
    const { cursor } = axis;
    if (cursor === null || cursor < axis.window[0] || cursor > axis.window[1]) { readout.hidden = true; return; }
    const k = nearest(spec.x, cursor);
    const x = place.toX(axis.snaps ? spec.x[k] : cursor);
    context.strokeStyle = styleValue("--cursor");
    line(context, x, CHART_MARGIN.top, x, place.bottom);
    for (const { values, colour } of shown()) {
      const y = place.toY(values[k]);
      if (!(y > CHART_MARGIN.top - 4 && y < place.bottom + 4)) continue;
      context.fillStyle = styleValue("--card");
      dot2d(context, x, y, 4.5);
      context.fillStyle = styleValue(colour);
      dot2d(context, x, y, 3);
    }
    if (axis.pointed === spec) showReadout(k, x); else readout.hidden = true;
  }

  function showReadout(k, x) {
    const place = axis.names ? axis.names[k] : `${valueText(spec.x[k], 5)} ${axis.unit}`;
    const heading = element("b", { text: axis.snaps ? `${axis.label}: ${place}` : place });
    const rows = shown().map(({ label, colour, values }) => {
      const swatch = element("i");
      swatch.style.background = `var(${colour})`;
      return element("div", {}, swatch, element("span", { text: label }),
        element("em", { text: valueText(values[k], 5, spec.resolution) }));
    });
    readout.replaceChildren(heading, ...rows, element("small", { text: `[${spec.unit}]` }));
    readout.hidden = false;
    const left = x + 14 + readout.offsetWidth > frame.clientWidth ? x - 14 - readout.offsetWidth : x + 14;
    readout.style.left = `${Math.max(0, left)}px`;
  }

  const pixel = (event) => {
    const x = event.clientX - overlay.getBoundingClientRect().left;
    return Math.max(CHART_MARGIN.left, Math.min(place.right, x));
  };
  const drop = () => { dragged = null; drawOverlay(); };

  overlay.addEventListener("pointerdown", (event) => {
    if (!place || event.button !== 0) return;
    overlay.setPointerCapture(event.pointerId);
    dragged = [pixel(event), pixel(event)];
    axis.set({ cursor: place.fromX(dragged[0]), pointed: spec });
  });
  overlay.addEventListener("pointermove", (event) => {
    if (!place) return;
    if (dragged) dragged[1] = pixel(event);
    axis.set({ cursor: place.fromX(pixel(event)), pointed: spec });
  });
  overlay.addEventListener("pointerup", () => {
    if (!dragged) return;
    const [a, b] = [Math.min(...dragged), Math.max(...dragged)];
    if (b - a > 6) axis.set({ window: [place.fromX(a), place.fromX(b)] });
    drop();
  });
  overlay.addEventListener("pointercancel", drop);
  overlay.addEventListener("pointerleave", () => { if (axis.pointed === spec) axis.set({ pointed: null }); });
  overlay.addEventListener("dblclick", () => axis.set({ window: axis.full }));

  const update = (all) => {
    if (!onScreen) { waiting = waiting || all; return; }
    if (all) draw(); else drawOverlay();
  };
  axis.listen((names) => update(names.has("window")));
  spec.legend.listen((names) => { if (names.has("hidden")) update(true); });
  darkTheme.addEventListener("change", () => update(true));
  new ResizeObserver(() => update(true)).observe(frame);
  new IntersectionObserver(([entry]) => {
    onScreen = entry.isIntersecting;
    if (onScreen) { if (waiting) draw(); else drawOverlay(); }
  }, { rootMargin: "200px" }).observe(frame);
  return { redraw: () => update(true), place: () => place };
}

function line(context, x0, y0, x1, y1) {
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
}

function dot2d(context, x, y, radius) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}
