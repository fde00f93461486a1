// A small WebGL2 renderer: bodies with light, and lines of any width.
//
// Ours, because a page is one offline file of tens of kilobytes: the known renderers are ten to
// twenty times that, and not ours to copy.

/**
 * @typedef {object} Thing what is drawn: a `mesh`, or `lines` (see meshes.js)
 * @property {import("./meshes.js").Mesh} [mesh]
 * @property {Float32Array} [lines] segments, six numbers each
 * @property {Float32Array} [place] matrix that puts it into the scene; as it is where there is none
 * @property {number[]} colour red, green and blue, 0 to 255
 * @property {number} [opacity] of a mesh, from 0 to 1; drawn after all that is opaque
 * @property {number} [stripe] length, along the mesh's z, of stripes between which nothing is drawn
 * @property {number} [width] of lines, in pixels
 * @property {boolean} [over] drawn over all bodies, as if they were of glass
 * @property {string} [name] by which it is found under the pointer (see picking.js)
 */

const WHERE = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
const QUAD = new Float32Array([0, -1, 1, -1, 0, 1, 1, 1]);

const BODY_VERTEX = `#version 300 es
uniform mat4 camera, place;
in vec3 position, normal;
out vec3 at, outwards;
out float along;
void main() {
  vec4 world = place * vec4(position, 1.0);
  at = world.xyz;
  mat3 axes = mat3(place); // at right angles to each other
  outwards = axes * (normal / vec3(dot(axes[0], axes[0]), dot(axes[1], axes[1]), dot(axes[2], axes[2])));
  along = position.z;
  gl_Position = camera * world;
}`;

const BODY_FRAGMENT = `#version 300 es
precision highp float;
uniform vec3 colour, eye, light;
uniform float stripe, opacity;
in vec3 at, outwards;
in float along;
out vec4 painted;
void main() {
  if (stripe > 0.0 && fract(along / stripe) > 0.55) discard;
  vec3 n = normalize(outwards), seen = normalize(eye - at);
  float lit = dot(n, light);
  float grazing = 1.0 - abs(dot(n, seen));
  float shine = pow(max(0.0, dot(n, normalize(light + seen))), 30.0);
  vec3 shaded = mix(colour, vec3(lit > 0.0), lit > 0.0 ? 0.26 * lit : -0.35 * lit);
  shaded = mix(shaded, vec3(1.0), 0.3 * shine) * (1.0 - 0.6 * grazing * grazing * grazing);
  painted = vec4(shaded, 1.0) * opacity;
}`;

const LINE_VERTEX = `#version 300 es
uniform mat4 camera, place;
uniform vec2 pixels;
uniform float width;
in vec2 corner;
in vec3 start, end;
const float NEAR = 1e-3;
void main() {
  vec4 a = camera * place * vec4(start, 1.0), b = camera * place * vec4(end, 1.0);
  if (a.w < NEAR && b.w > NEAR) a = mix(a, b, (NEAR - a.w) / (b.w - a.w)); // from behind the eye
  if (b.w < NEAR && a.w > NEAR) b = mix(b, a, (NEAR - b.w) / (a.w - b.w));
  vec2 along = (b.xy / b.w - a.xy / a.w) * pixels;
  vec2 across = length(along) > 0.0 ? normalize(vec2(-along.y, along.x)) : vec2(0.0);
  vec4 here = corner.x < 0.5 ? a : b;
  here.xy += across * corner.y * width / pixels * here.w;
  here.z -= 1e-4 * here.w; // edges stand before the faces that they belong to
  gl_Position = here;
}`;

const LINE_FRAGMENT = `#version 300 es
precision highp float;
uniform vec3 colour;
out vec4 painted;
void main() { painted = vec4(colour, 1.0); }`;

/** A program with its uniforms' places by name; attributes have their places in this order. */
function createProgram(gl, vertex, fragment, attributes) {
  const program = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  attributes.forEach((name, k) => gl.bindAttribLocation(program, k, name));
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error(gl.getProgramInfoLog(program));
  const names = Array.from({ length: gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS) ?? 0 }, (_, k) => gl.getActiveUniform(program, k).name);
  return { program, places: Object.fromEntries(names.map((name) => [name, gl.getUniformLocation(program, name)])) };
}

/** Numbers of a vertex, `count` of them from `offset` on, out of `stride`; or of a whole instance. */
function attribute(gl, place, count, stride = 0, offset = 0, instanced = 0) {
  gl.enableVertexAttribArray(place);
  gl.vertexAttribPointer(place, count, gl.FLOAT, false, 4 * stride, 4 * offset);
  gl.vertexAttribDivisor(place, instanced);
}

function bufferOf(gl, numbers) {
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, numbers, gl.STATIC_DRAW);
}

/**
 * A renderer that draws into a canvas; null where the browser has no WebGL2.
 * @param {HTMLCanvasElement} canvas
 */
export function createRenderer(canvas) {
  const gl = canvas.getContext("webgl2", { antialias: true });
  if (!gl) return null;
  const bodies = createProgram(gl, BODY_VERTEX, BODY_FRAGMENT, ["position", "normal"]);
  const segments = createProgram(gl, LINE_VERTEX, LINE_FRAGMENT, ["corner", "start", "end"]);
  const shapes = new WeakMap(); // what was given to the graphics card, by its mesh or lines

  function shapeOf({ mesh, lines }) {
    const key = mesh ?? lines;
    if (!shapes.has(key)) {
      const shape = gl.createVertexArray();
      gl.bindVertexArray(shape);
      if (mesh) {
        [mesh.positions, mesh.normals].forEach((numbers, place) => { bufferOf(gl, numbers); attribute(gl, place, 3); });
      } else {
        bufferOf(gl, QUAD);
        attribute(gl, 0, 2);
        bufferOf(gl, lines);
        attribute(gl, 1, 3, 6, 0, 1);
        attribute(gl, 2, 3, 6, 3, 1);
      }
      shapes.set(key, shape);
    }
    return shapes.get(key);
  }

  function drawOne(camera, thing) {
    const { program, places } = thing.mesh ? bodies : segments;
    gl.useProgram(program);
    gl.bindVertexArray(shapeOf(thing));
    gl.uniformMatrix4fv(places.camera, false, camera.matrix);
    gl.uniformMatrix4fv(places.place, false, thing.place ?? WHERE);
    gl.uniform3fv(places.colour, thing.colour.map((c) => c / 255));
    if (thing.mesh) {
      gl.uniform3fv(places.eye, camera.eye);
      gl.uniform3fv(places.light, camera.light);
      gl.uniform1f(places.stripe, thing.stripe ?? 0);
      gl.uniform1f(places.opacity, thing.opacity ?? 1);
      gl.drawArrays(gl.TRIANGLES, 0, thing.mesh.positions.length / 3);
    } else {
      gl.uniform2f(places.pixels, canvas.width, canvas.height);
      gl.uniform1f(places.width, thing.width ?? 1);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, thing.lines.length / 6);
    }
  }

  /** What is behind is seen through it: first the inner sides of bodies, then the outer ones. */
  function drawGlass(camera, things) {
    gl.enable(gl.BLEND);
    gl.enable(gl.CULL_FACE);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    for (const hidden of [gl.FRONT, gl.BACK]) {
      gl.cullFace(hidden);
      for (const thing of things) drawOne(camera, thing);
    }
    gl.depthMask(true);
    gl.disable(gl.CULL_FACE);
    gl.disable(gl.BLEND);
  }

  return {
    /** Draw all things as a camera sees them, on nothing. */
    draw(camera, things) {
      gl.viewport(0, 0, canvas.width, canvas.height);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      gl.enable(gl.DEPTH_TEST);
      for (const thing of things) if (!thing.over && thing.opacity === undefined) drawOne(camera, thing);
      const glass = things.filter((thing) => thing.opacity !== undefined);
      if (glass.length) drawGlass(camera, glass);
      gl.disable(gl.DEPTH_TEST);
      for (const thing of things) if (thing.over) drawOne(camera, thing);
    },
  };
}
