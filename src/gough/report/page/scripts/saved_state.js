// All that a person set, as a text for links and files, and back from one that may come from anywhere.

import { checkedChoice, checkedList, checkedNumber, checkedNumbers, checkedPose, checkedTable } from "./checking.js";
import { PROFILES } from "./profiles.js";
import { NO_LOAD } from "./load_panel.js";
import { SMOOTH } from "./way.js";

const VERSION = 1;
const NAMES = ["gough", "machine", "pose", "load", "frames", "way", "numbers", "units"];

/** The present state as JSON. Of the machine's numbers those that were changed, by their places. */
export function stateText({ data, history, units }, first) {
  const { pose, load, frames, way, parameters } = history.now;
  const numbers = Array.from(parameters).flatMap((value, k) => (value === first[k] ? [] : [[k, value]]));
  return JSON.stringify({ gough: VERSION, machine: data.name, pose, load, frames, way, numbers, units: units.chosen });
}

/**
 * What such a text says: { state, units }. An Error says what is wrong with it, or that it is of
 * another machine; what is good is nothing else than numbers, and names that this page knows.
 */
export function readState(text, { data, units }, first) {
  const given = checkedTable(parsed(text), "the state", NAMES);
  checkedChoice(given.gough, "the version of the state", [VERSION]);
  if (given.machine !== data.name) throw new Error(`it is of another machine, ${String(given.machine).slice(0, 60)}; this is ${data.name}`);
  const { m, rad, order } = checkedTable(given.units, "units", ["m", "rad", "order"]);
  const { work, tool } = checkedTable(given.frames, "frames", ["work", "tool"]);
  return {
    state: {
      pose: checkedPose(given.pose, "pose"), load: loadOf(given.load), way: wayOf(given.way, data), parameters: parametersOf(given.numbers, first),
      frames: { work: checkedPose(work, "frames.work"), tool: checkedPose(tool, "frames.tool") }, time: null,
    },
    units: { m: placeIn(m, "units.m", units.counts.m), rad: placeIn(rad, "units.rad", units.counts.rad), order: checkedChoice(order, "units.order", units.orderNames) },
  };
}

function parsed(text) {
  try { return JSON.parse(text); } catch { throw new Error("it is incomplete, or not one of Gough's"); }
}

function loadOf(load) {
  const { mass, centre, inertia, wrench } = { ...NO_LOAD, ...checkedTable(load, "load", Object.keys(NO_LOAD)) };
  return { mass: checkedNumber(mass, "load.mass", 0), centre: checkedNumbers(centre, "load.centre", 3), inertia: checkedNumbers(inertia, "load.inertia", 6), wrench: checkedNumbers(wrench, "load.wrench", 6) };
}

function wayOf(way, { ways, study }) {
  const { points, profile, sampled = false } = checkedTable(way, "way", ["points", "profile", "sampled"]);
  return {
    sampled: checkedChoice(sampled, "way.sampled", study?.samples ? [true, false] : [false]),
    profile: checkedChoice(profile, "way.profile", [...Object.keys(PROFILES), SMOOTH]),
    points: checkedList(points, "way.points", ways.points).map((point, k) => {
      const { pose, seconds } = checkedTable(point, `waypoint ${k + 1}`, ["pose", "seconds"]);
      return { pose: checkedPose(pose, `waypoint ${k + 1}`), seconds: checkedNumber(seconds, `seconds to waypoint ${k + 1}`, ...ways.seconds) };
    }),
  };
}

function parametersOf(numbers, first) {
  const changed = checkedList(numbers, "numbers", first.length).map((pair) => checkedNumbers(pair, "numbers", 2));
  if (changed.length === 0) return first;
  const all = Float64Array.from(first);
  for (const [place, value] of changed) all[placeIn(place, "the place of a number", first.length)] = value;
  return all;
}

function placeIn(value, what, count) {
  if (!Number.isInteger(checkedNumber(value, what, 0, count - 1))) throw new Error(`${what}: expected a whole number`);
  return value;
}

/** A text in letters that links may have. */
export function linkText(text) {
  const bytes = new TextEncoder().encode(text);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Such a text read again. */
export function readLink(text) {
  let letters;
  try { letters = atob(text.replaceAll("-", "+").replaceAll("_", "/")); } catch { throw new Error("it is incomplete, or not one of Gough's"); }
  return new TextDecoder().decode(Uint8Array.from(letters, (letter) => letter.charCodeAt(0)));
}
