// Eigenvalues of symmetric matrices, for natural frequencies.

const SWEEPS = 30, ROUNDING = 1e-15;

/**
 * The natural frequencies [Hz] of M z̈ + K z = 0, lowest first; negative where it gives way. What is
 * held, its stiffness being infinite, has no part. Null where there is nothing to compute with.
 */
export function naturalFrequencies(M, K) {
  const n = Math.sqrt(M.length), moving = Array.from({ length: n }, (_, k) => k).filter((k) => K[k * n + k] !== Infinity);
  const part = (matrix) => moving.map((i) => moving.map((j) => matrix[i * n + j]));
  const squares = eigenvalues(reduced(part(M), part(K)));
  return squares.every(Number.isFinite) ? squares.sort((a, b) => a - b).map((x) => Math.sign(x) * Math.sqrt(Math.abs(x)) / (2 * Math.PI)) : null;
}

/** L⁻¹ K L⁻ᵀ of M = L Lᵀ. */
function reduced(M, K) {
  const L = cholesky(M), left = forward(L, K);
  return forward(L, transposed(left));
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

const transposed = (A) => A[0].map((_, j) => A.map((row) => row[j]));

/** Of a symmetric matrix, by Jacobi's rotations. */
function eigenvalues(A) {
  const n = A.length, size = Math.hypot(...A.flat());
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    let off = 0;
    for (let p = 0; p < n; p += 1) for (let q = p + 1; q < n; q += 1) off = Math.max(off, Math.abs(A[p][q]));
    if (!(off > ROUNDING * size)) break;
    for (let p = 0; p < n; p += 1) for (let q = p + 1; q < n; q += 1) rotate(A, p, q);
  }
  return A.map((row, k) => row[k]);
}

function rotate(A, p, q) {
  if (A[p][q] === 0) return;
  const theta = (A[q][q] - A[p][p]) / (2 * A[p][q]);
  const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1)), c = 1 / Math.hypot(t, 1), s = t * c;
  for (const row of A) [row[p], row[q]] = [c * row[p] - s * row[q], s * row[p] + c * row[q]];
  A[p].forEach((x, k) => { const y = A[q][k]; A[p][k] = c * x - s * y; A[q][k] = s * x + c * y; });
}
