// The machine as it is now, its parts coloured by the force of their actuators, with a gizmo on it.

import { composed, inverted } from "./attitude.js";
import { rgbOf } from "./colours.js";
import { createSelect } from "./controls.js";
import { styleValue } from "./dom.js";
import { gizmoThings, gripped } from "./gizmo.js";
import { measuresOf } from "./measures.js";
import { screwThings } from "./singularity_panel.js";
import { fixedParts, sceneOf } from "./machine.js";
import { createView } from "./view.js";
import { wayDrawing } from "./way_drawing.js";
import { grippedWaypoint } from "./waypoint_drag.js";

const ROOM = 1.15; // around the machine, for what is drawn on its tool
const USUAL_FORCE = 1000; // at the ends of the scale of colours where no largest one is stated
const colour = (name) => rgbOf(styleValue(name));

/** Draw the machine of a workbench into `host`; it follows every state. Returns the view. */
export function createLiveMachine(host, bench) {
  const { data, history } = bench;
  const { scales, actuators } = scaled(data.actuators);
  const described = () => ({ ...data.drawing, actuators, scales, pose: data.home.map((x) => [x]) });
  let { drawing } = data, machine = described(), fixed = fixedParts(machine);
  const measures = measuresOf(data, machine);
  let [measure] = measures;
  const tool = () => composed(history.now.pose, history.now.frames.tool);

  function look() {
    if (drawing !== data.drawing) {
      ({ drawing } = data);
      machine = described();
      fixed = fixedParts(machine);
    }
    const swing = bench.swing();
    const { things, labels } = sceneOf(machine, fixed, swing?.state ?? bench.now, measure.colours(bench.now));
    const gizmo = gizmoThings(data.degrees_of_freedom, tool(), history.now.frames.work, machine.bounds.reach, colour);
    const way = wayDrawing(bench);
    return { things: [...things, ...(swing?.things ?? []), ...way.things, ...bench.overlays.flatMap((overlay) => overlay()), ...screwThings(bench, bench.now), ...gizmo], labels: [...labels, ...way.labels] };
  }

  function grip(name, ray) {
    const freedom = data.degrees_of_freedom.find((one) => one.name === name);
    const { frames } = history.now;
    const waypoint = grippedWaypoint(bench, ray, !freedom);
    const held = freedom && gripped(freedom, tool(), frames.work, ray);
    if (waypoint || !held) return waypoint;
    let passing = false;
    return {
      move(next) {
        const moved = held(next);
        if (!moved) return;
        bench.goTo(composed(moved, inverted(frames.tool)), passing);
        passing = true;
      },
    };
  }

  const view = createView(host, { ...machine.bounds, reach: ROOM * machine.bounds.reach }, look, undefined, grip);
  view.canvas?.setAttribute("aria-label", "The machine; drag or use the arrow keys to turn it, drag an arrow or a ring to move it, a waypoint to change the path");
  bench.listen(view.refresh);
  const names = measures.map(({ text }, value) => ({ value, text: `Colours: ${text}` }));
  host.append(createSelect(names, (value) => { measure = measures[value]; view.refresh(); }, { className: "measure", ariaLabel: "Meaning of colours" }));
  return view;
}

/** Actuators with the number of their scale of forces, one scale for each unit. */
function scaled(actuators) {
  const units = [...new Set(actuators.map(({ force_unit: unit }) => unit))];
  const most = (unit) => Math.max(...actuators.filter((one) => one.force_unit === unit).map((one) => one.max_force ?? 0));
  return {
    scales: units.map((unit) => ({ unit, limit: most(unit) || USUAL_FORCE })),
    actuators: actuators.map((one) => ({ ...one, scale: units.indexOf(one.force_unit) })),
  };
}
