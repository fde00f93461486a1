// Eigenvalues and eigenvectors of symmetric matrices, for vibrations.

const SWEEPS = 30, ROUNDING = 1e-15;

/**
 * The natural frequencies [Hz] of M z̈ + K z = 0, lowest first; negative where it gives way. What is
 * held, its stiffness being infinite, has no part. Null where there is nothing to compute with.
 */
export function naturalFrequencies(M, K) {
  const { A } = normalForm(M, K);
  const values = diagonalised(A);
  return values.every(Number.isFinite) ? values.sort((a, b) => a - b).map(hertz) : null;
}

/** The same with the shape of each mode, for which shape · M · shape = 1; what is held has zero. */
export function naturalModes(M, K) {
  const { A, L, moving } = normalForm(M, K), vectors = A.map((row, i) => row.map((_, j) => (i === j ? 1 : 0)));
  const values = diagonalised(A, vectors);
  if (!values.every(Number.isFinite)) return null;
  const order = values.map((_, k) => k).sort((a, b) => values[a] - values[b]), n = Math.sqrt(M.length);
  return { frequencies: order.map((k) => hertz(values[k])), shapes: order.map((k) => spread(backward(L, vectors[k]), moving, n)) };
}

/** A = L⁻¹ K L⁻ᵀ of M = L Lᵀ, of the coordinates that move. */
function normalForm(M, K) {
  const n = Math.sqrt(M.length), moving = Array.from({ length: n }, (_, k) => k).filter((k) => K[k * n + k] !== Infinity);
  const part = (matrix) => moving.map((i) => moving.map((j) => matrix[i * n + j]));
  const L = cholesky(part(M));
  return { A: forward(L, transposed(forward(L, part(K)))), L, moving };
}

const hertz = (square) => Math.sign(square) * Math.sqrt(Math.abs(square)) / (2 * Math.PI);

/** Numbers at their places among n, zero elsewhere. */
function spread(numbers, places, n) {
  const all = new Array(n).fill(0);
  places.forEach((place, k) => { all[place] = numbers[k]; });
  return all;
}

function cholesky(M) {
  const L = M.map((row) => row.map(() => 0));
  M.forEach((row, i) => {
    for (let j = 0; j <= i; j += 1) {
      let rest = row[j];
      for (let k = 0; k < j; k += 1) rest -= L[i][k] * L[j][k];
      L[i][j] = i === j ? Math.sqrt(rest) : rest / L[j][j];
    }
  });
  return L;
}

/** L⁻¹ B. */
function forward(L, B) {
  const X = B.map((row) => [...row]);
  X.forEach((row, i) => {
    for (let j = 0; j < i; j += 1) X[j].forEach((x, k) => { row[k] -= L[i][j] * x; });
    row.forEach((x, k) => { row[k] = x / L[i][i]; });
  });
  return X;
}

/** L⁻ᵀ y. */
function backward(L, y) {
  const z = [...y];
  for (let i = z.length - 1; i >= 0; i -= 1) {
    z[i] /= L[i][i];
    for (let j = 0; j < i; j += 1) z[j] -= L[i][j] * z[i];
  }
  return z;
}

const transposed = (A) => A[0].map((_, j) => A.map((row) => row[j]));

/** The eigenvalues of a symmetric matrix by Jacobi's rotations; the rows of the identity become their vectors. */
function diagonalised(A, vectors = null) {
  const n = A.length, size = Math.hypot(...A.flat()), turned = vectors ? [A, vectors] : [A];
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    let off = 0;
    for (let p = 0; p < n; p += 1) for (let q = p + 1; q < n; q += 1) off = Math.max(off, Math.abs(A[p][q]));
    if (!(off > ROUNDING * size)) break;
    for (let p = 0; p < n; p += 1) for (let q = p + 1; q < n; q += 1) rotate(A, turned, p, q);
  }
  return A.map((row, k) => row[k]);
}

function rotate(A, turned, p, q) {
  if (A[p][q] === 0) return;
  const theta = (A[q][q] - A[p][p]) / (2 * A[p][q]);
  const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1)), c = 1 / Math.hypot(t, 1), s = t * c;
  for (const row of A) [row[p], row[q]] = [c * row[p] - s * row[q], s * row[p] + c * row[q]];
  for (const rows of turned) rows[p].forEach((x, k) => { const y = rows[q][k]; rows[p][k] = c * x - s * y; rows[q][k] = s * x + c * y; });
}
