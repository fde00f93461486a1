// The way and the load as a study file that `gough run` takes, and back from one.

import { checkedChoice, checkedList, checkedNumber, checkedNumbers, checkedPose, checkedTable } from "./checking.js";
import { NO_LOAD } from "./load_panel.js";
import { PROFILES } from "./profiles.js";
import { changedRobot } from "./robot_file.js";
import { readToml } from "./toml_reading.js";
import { tomlText } from "./toml.js";
import { SMOOTH, timesOf, USUAL_SECONDS } from "./way.js";

const SCHEMA = "gough-study/1";
const UNLIKELY = 1e9;

/** The study of the present way under the present load, its robot written out. */
export function studyText({ data, history }, first) {
  const { way, load, parameters } = history.now, moments = timesOf(way);
  const points = way.points.map(({ pose }, k) => ({ time: moments[k], position: pose.slice(0, 3), quaternion: pose.slice(3) }));
  const gone = way.profile === SMOOTH ? { stops: false } : { stops: true, profile: way.profile };
  return tomlText({
    schema: SCHEMA, name: `${data.name.replaceAll(/[/\\]/g, "-").slice(0, 60)} way`, samples: BigInt(data.samples),
    motion: { kind: "waypoints", ...gone, waypoints: points }, tasks: tasksOf(load),
    robot: changedRobot(data.robot, data.parameter_names, first, parameters),
  });
}

function tasksOf({ mass, centre, inertia, wrench }) {
  const [xx, yy, zz, xy, xz, yz] = inertia, extended = inertia.some((x) => x !== 0);
  const tensor = extended ? { inertia: [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]] } : {};
  return [
    ...(mass > 0 || extended ? [{ kind: "payload", mass, center_of_mass: centre, ...tensor }] : []),
    ...(wrench.some((x) => x !== 0) ? [{ kind: "constant", force: wrench.slice(0, 3), moment: wrench.slice(3) }] : []),
  ];
}

/** The way and the load of such a file; an Error says what of another one is not understood. */
export function readStudy(text, { data, history }, first) {
  const study = checkedTable(readToml(text), "the file", ["schema", "name", "reference", "notes", "samples", "robot", "motion", "tasks"]);
  checkedChoice(study.schema, "schema", [SCHEMA]);
  const now = changedRobot(data.robot, data.parameter_names, first, history.now.parameters);
  const robot = study.robot === data.library_name ? data.robot : study.robot;
  if (!isSame(robot, now)) throw new Error(`robot: not the machine of this page, ${data.name}, as it is now`);
  return { way: readWay(study.motion, data.ways), load: readLoad(study.tasks ?? []) };
}

function readWay(motion, ways) {
  const { kind, stops = false, profile, waypoints } = checkedTable(motion, "motion", ["kind", "stops", "profile", "waypoints"]);
  checkedChoice(kind, "motion.kind", ["waypoints"]);
  checkedChoice(stops, "motion.stops", [true, false]);
  const points = checkedList(waypoints, "motion.waypoints", ways.points).map((point, k) => {
    const what = `motion.waypoints[${k}]`, { time, position, quaternion } = checkedTable(point, what, ["time", "position", "quaternion"]);
    return { time: checkedNumber(time, `${what}.time`, 0, UNLIKELY), pose: checkedPose([...checkedNumbers(position, `${what}.position`, 3), ...checkedNumbers(quaternion, `${what}.quaternion`, 4)], what) };
  });
  if (points.length > 0) checkedNumber(points[0].time, "motion.waypoints[0].time", 0, 0);
  if (profile !== undefined) checkedChoice(profile, "motion.profile", stops ? Object.keys(PROFILES) : ["none, without stops"]);
  return {
    sampled: false, profile: stops ? profile ?? "quintic" : SMOOTH,
    points: points.map(({ time, pose }, k) => ({ pose, seconds: checkedNumber(k ? time - points[k - 1].time : USUAL_SECONDS, `time to motion.waypoints[${k}]`, ways.seconds[0] * (1 - 1e-9), ways.seconds[1]) })),
  };
}

function readLoad(tasks) {
  const load = { ...NO_LOAD }, seen = new Set();
  checkedList(tasks, "tasks", 2).forEach((task, k) => {
    const what = `tasks[${k}]`, kind = checkedChoice(checkedTable(task, what).kind, `${what}.kind`, ["payload", "constant"]);
    if (seen.has(kind)) throw new Error(`${what}: another ${kind} is not understood here`);
    seen.add(kind);
    if (kind === "payload") {
      checkedTable(task, what, ["kind", "mass", "center_of_mass", "inertia"]);
      Object.assign(load, { inertia: readInertia(task.inertia ?? [0, 0, 0], `${what}.inertia`), mass: checkedNumber(task.mass, `${what}.mass`, 0), centre: checkedNumbers(task.center_of_mass ?? [0, 0, 0], `${what}.center_of_mass`, 3) });
    } else {
      checkedTable(task, what, ["kind", "force", "moment"]);
      load.wrench = ["force", "moment"].flatMap((key) => checkedNumbers(task[key] ?? [0, 0, 0], `${what}.${key}`, 3));
    }
  });
  return load;
}

/** Three principal moments, or a symmetric 3x3, as xx yy zz xy xz yz. */
function readInertia(inertia, what) {
  if (!Array.isArray(inertia?.[0])) return [...checkedNumbers(inertia, what, 3), 0, 0, 0];
  if (inertia.length !== 3) throw new Error(`${what}: expected 3 rows, not ${inertia.length}`);
  const [[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]] = inertia.map((row) => checkedNumbers(row, what, 3));
  if (xy !== yx || xz !== zx || yz !== zy) throw new Error(`${what}: not symmetric`);
  return [xx, yy, zz, xy, xz, yz];
}

/** Whether plain data are the same, wherever their names stand. */
function isSame(a, b) {
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return a === b || (a === undefined && b === null);
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => isSame(a[name] ?? null, b[name] ?? null));
}
