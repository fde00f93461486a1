// The meshes of a machine's bodies: unpacked once, with normals, and moved along with the bodies.

import { BODIES, LIGHTER, shaded } from "./colours.js";
import { creasedMesh } from "./meshes.js";
import { frameMatrix, matrixProduct, poseMatrix } from "./space.js";

const STRIPES = 11; // on a body whose force is not known
const unpacked = new WeakMap(); // meshes of the renderer by the pieces of the file

/** Of the moving bodies that have a mesh, which of all frames are theirs. */
export const movingMeshes = ({ meshes }) => meshes.map(({ row }) => row).filter((row) => row !== null);

/** The bytes of a text. */
const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;

/** A piece of a surface as the renderer takes it, in the unit of its file; and how high it is. */
function meshOf(piece) {
  if (!unpacked.has(piece)) {
    const vertices = new Float32Array(bytesOf(piece.vertices)), numbers = bytesOf(piece.triangles);
    const heights = vertices.filter((_, k) => k % 3 === 2).sort();
    unpacked.set(piece, { mesh: creasedMesh(vertices, piece.short ? new Uint16Array(numbers) : new Uint32Array(numbers)), height: heights.at(-1) - heights[0] });
  }
  return unpacked.get(piece);
}

/** The matrix of a frame that is twelve numbers: three rows of its axes and its origin. */
export const matrixOfRows = (m) => frameMatrix([m[0], m[4], m[8]], [m[1], m[5], m[9]], [m[2], m[6], m[10]], [m[3], m[7], m[11]]);

/**
 * The things that meshes are.
 * @param {Object<number, Float32Array>} frames the matrices of moving bodies by their rows
 * @param {(actuator: number | null, otherwise: string) => object} paint gives colours
 */
export function meshThings({ meshes, surfaces }, pose, frames, paint) {
  return meshes.flatMap(({ body, surface, place, row, actuator, thin }) => {
    const own = Float32Array.from(place);
    const carrier = row === null ? (body === "platform" ? poseMatrix(pose) : null) : frames[row];
    const painted = paint(actuator, BODIES[body] ?? "--joint");
    return surfaces[surface].map((piece) => {
      const { mesh, height } = meshOf(piece), colour = actuator === null ? piece.colour ?? painted.colour : painted.colour;
      return {
        mesh, place: carrier ? matrixProduct(carrier, own) : own, ...painted,
        colour: thin && actuator !== null ? shaded(colour, LIGHTER) : colour, stripe: painted.stripe ? height / STRIPES : 0,
      };
    });
  });
}
