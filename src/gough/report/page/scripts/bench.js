// The workbench: a machine that is moved by hand, and everything about it follows.

import { createActuatorPanel } from "./actuator_panel.js";
import { createAlong } from "./along.js";
import { createFollower } from "./parameters.js";
import { createGeometryPanel } from "./geometry_panel.js";
import { createModesPanel } from "./modes_panel.js";
import { element } from "./dom.js";
import { createFramesPanel } from "./frames_panel.js";
import { NO_FRAMES } from "./frames.js";
import { createHistory } from "./history.js";
import { loadKernels } from "./kernels.js";
import { createLiveMachine } from "./live_machine.js";
import { createLoadPanel, NO_LOAD } from "./load_panel.js";
import { createMachineState } from "./machine_state.js";
import { followParentPage } from "./parent_page.js";
import { createPolicyPanel } from "./policy_panel.js";
import { createPosePanel } from "./pose_panel.js";
import { createSharePanel } from "./share_panel.js";
import { createStiffnessPanel } from "./stiffness_panel.js";
import { createSingularityPanel } from "./singularity_panel.js";
import { createStudyPanel, unpackStudy } from "./study_panel.js";
import { createTools } from "./bench_tools.js";
import { createTravelPanel } from "./travel_panel.js";
import { travelFrom } from "./travel.js";
import { createUnits } from "./units.js";
import { createVerdict } from "./verdict.js";
import { createWayPanel } from "./way_panel.js";
import { motionAlong, NO_WAY } from "./way.js";
import { createWaypointsPanel } from "./waypoints_panel.js";
import { createWorkspacePanel } from "./workspace_panel.js";

const PANELS = [
  createStudyPanel, createPolicyPanel, createPosePanel, createActuatorPanel, createTravelPanel, createWorkspacePanel, createLoadPanel, createSingularityPanel, createStiffnessPanel, createModesPanel,
  createWaypointsPanel, createWayPanel, createGeometryPanel, createFramesPanel, createSharePanel,
];
const part = (id) => document.getElementById(id);

/**
 * @typedef {object} Bench what all parts of the page share
 * @property data what the page knows of the machine; home, strokes and the drawing follow `parameters`;
 *   `study` is the one that it was made with, or null (study_panel.js), `policy` one that was learned (policy_panel.js)
 * @property machine its equations (machine_state.js)
 * @property history what a person set: { pose, load, frames, parameters, way, time }, now and before;
 *   at a time of its way the machine moves as it does then, else (null) it rests
 * @property now the machine in that state: { pose, q, force, margin, points, singularity, reactions, deflection, frequencies, modes }, and
 *   torque and current of motors where there are drives
 * @property atHome the same at home, without a load
 * @property {(() => object[])[]} overlays what parts of the page add to the scene (see renderer.js)
 * @property {() => {state: object, things: object[]} | null} swing the machine as it vibrates, while a mode is shown (mode_shapes.js)
 * @property view of the machine (view.js)
 * @property {() => void} redraw draws the scene anew
 * @property {() => object} travel how far the tool goes from here along each axis (travel.js)
 * @property {() => object | null} along what happens along the way (along.js)
 * @property {(time: number) => void} goToTime where the way is at a time, moving as it does there
 * @property units in which numbers are shown (units.js)
 * @property {(listener: (now: object) => void) => void} listen is told every new state
 * @property {(changes: object, passing?: boolean) => void} change sets some of what a person set
 * @property {(pose: number[], passing?: boolean) => void} goTo the pose nearest to that which the machine can take
 */
async function start() {
  const data = JSON.parse(part("data").textContent);
  data.parameters = Float64Array.from(data.parameters, Number);
  data.study &&= unpackStudy(data.study);
  if (data.policy) data.policy.kernels = await loadKernels(data.policy.kernels);
  const machine = createMachineState(data, await loadKernels(data.kernels));
  const listeners = [];
  const follow = createFollower(data);
  const show = ({ pose, load, parameters, way, time }) => {
    if (parameters !== data.parameters) {
      follow(parameters);
      bench.atHome = machine.at(data.home, NO_LOAD);
    }
    bench.now = machine.at(pose, load, time === null ? {} : motionAlong(machine, way, [time]));
    for (const listener of listeners) listener(bench.now);
  };
  const first = { pose: data.home, load: NO_LOAD, frames: NO_FRAMES, parameters: data.parameters, way: NO_WAY, time: null, ...atFirst(data.study, machine) };
  const history = createHistory(first, show);
  const bench = {
    data, machine, history,
    atHome: machine.at(data.home, NO_LOAD),
    now: machine.at(data.home, NO_LOAD),
    units: createUnits(() => show(history.now)),
    overlays: [],
    swing: () => null,
    listen: (listener) => listeners.push(listener),
    change: (changes, passing = false) => history.set({ ...history.now, time: null, ...changes }, passing),
    travel: () => travelFrom(bench, history.now),
    goTo: (pose, passing = false) => bench.change({ pose: machine.possible(pose) }, passing),
  };
  bench.along = createAlong(bench);
  bench.view = createLiveMachine(part("scene"), bench);
  bench.redraw = bench.view.refresh;
  createVerdict(part("verdict"), bench);
  createTools(part("tools"), bench);
  part("panels").append(...PANELS.map((create) => create(bench)));
  followParentPage(bench);
  show(history.now);
  window.gough = bench; // for those who look behind the page
}

/** What a study sets: its own state, at the beginning of its way. */
function atFirst(study, machine) {
  return study && { ...study.state, time: 0, pose: Array.from(motionAlong(machine, study.state.way, [0]).pose) };
}

start().catch((error) => {
  part("panels").append(element("p", { className: "failed", text: `The page cannot compute here: ${error.message}` }));
});
