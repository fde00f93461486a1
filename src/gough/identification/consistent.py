"""Physical consistency: the bodies that can exist and fit an estimate best.

A body of mass m, first moment h and second moments Σ = tr(J) / 2 - J can exist if and only if its
pseudo-inertia [Σ h; hᵀ m] is positive semidefinite [Wensing, Kim & Slotine 2018]. That is convex:
the nearest such bodies are found by a semidefinite program, with Clarabel.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from gough.arrays import Array
from gough.errors import GoughError, needing
from gough.identification.legs import body_of, has_sign

LEAST = 1e-6  # minimum of a body's mass and moments, beside what they are by the robot file
SUREST = 1e-6  # no sum is surer than this share of what it may be: rounding, without noise
GAP = 1e-10  # tolerance of the objective, in which a number that is off by its spread counts 1/2


def consistent(
    names: Sequence[str],
    priors: Array,
    sums: Array,
    estimate: Array,
    root: Array,
    spread: Array,
    contained: Array,
) -> Array:
    """Return the numbers (p) whose `sums` (k, p) fit an estimate (k), of physical bodies.

    Misfits count by the estimate's covariance R Rᵀ, of which `root` is R (k, k or more), and beside
    that by the distance from the `priors` over their `spread`: sums that are not identifiable keep
    their priors, and so do numbers without a spread. Known contents of bodies (p) must fit into
    them. Numbers of no body are not negative, but for offsets and
    loads of springs.

    With z the numbers in which that objective is round, and c its minimum where every body could
    exist, the program is that of y = z - c: minimum |y|². Its value is what the bodies cost, by
    which solvers measure their gap; that of zᵀz / 2 - cᵀz is larger by |c|², up to 1e10.
    """
    with needing("clarabel", "identify", "physically consistent parameters"):
        import clarabel  # noqa: PLC0415  (not everybody has it)
    A = sums * spread
    surest = SUREST * np.linalg.norm(A, axis=-1)
    axes, sigma, _ = np.linalg.svd(root / surest[:, None], full_matrices=False)
    weights = (axes / np.hypot(1.0, sigma)).T / surest  # WᵀW = (R Rᵀ + surest²)⁻¹
    U, sizes, V = np.linalg.svd(weights @ A)
    scaling = V.T / np.hypot(1.0, np.pad(sizes, (0, len(spread) - len(sizes))))
    whitened = U.T @ (weights @ (estimate - sums @ priors))
    c = sizes / np.hypot(1.0, sizes) * whitened[: len(sizes)]
    best = priors + spread * (scaling[:, : len(sizes)] @ c)
    rows, bounds, cones = list[Array](), list[Array](), list[Any]()
    for body in dict.fromkeys(filter(None, map(body_of, names))):
        own = {n.removeprefix(f"{body}."): k for k, n in enumerate(names) if body_of(n) == body}
        inertia = _pseudo_inertia(own, len(names))
        if not (inertia * spread).any():
            continue  # a body that is known, such as one without mass
        sizes = np.einsum("iij,j->i", np.abs(inertia), np.abs(priors))
        scale = 1.0 / np.sqrt(np.maximum(sizes, 1e-12))
        scaled = inertia * np.outer(scale, scale)[:, :, None]
        size = len(inertia)
        rows.append(-_stacked(scaled) * spread)
        least = LEAST * _stacked(np.eye(size)[:, :, None])[:, 0]
        bounds.append(_stacked(scaled) @ (best - contained) - least)
        cones.append(clarabel.PSDTriangleConeT(size))
    positive = [k for k, name in enumerate(names) if not (body_of(name) or has_sign(name))]
    rows.append(-np.diag(spread)[positive])
    bounds.append(best[positive])
    cones.append(clarabel.NonnegativeConeT(len(positive)))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = GAP
    settings.reduced_tol_gap_abs = settings.reduced_tol_gap_rel = 100 * GAP
    P, G = np.eye(len(spread)), np.concatenate(rows) @ scaling
    matrices = sparse.csc_matrix(P), np.zeros(len(spread)), sparse.csc_matrix(G)
    solution = clarabel.DefaultSolver(*matrices, np.concatenate(bounds), cones, settings).solve()
    if "Solved" not in str(solution.status):
        below = ", ".join(f"{names[k]} = {best[k]:.4g}" for k in positive if best[k] < 0)
        raise GoughError(
            "no bodies that can exist, with springs and friction that are not negative, were "
            f"found: Clarabel says {solution.status}" + f"; the estimate has {below}" * bool(below)
        )
    return np.asarray(best + spread * (scaling @ solution.x))


def _pseudo_inertia(own: dict[str, int], count: int) -> Array:
    """[Σ h; hᵀ m] of a body by all numbers: symmetric (s, s, numbers).

    Of a leg's part that does not spin it is [J h; h m] across the leg; of a symmetric rod Σ along
    it, with J along it beside.
    """
    if "joint_inertia.xx" in own and "joint_inertia.yy" not in own:
        along = own.get("joint_inertia.zz")
        M = np.zeros((2, 2, count) if along is None else (3, 3, count))
        M[0, 0, own["joint_inertia.xx"]] = M[1, 1, own["mass"]] = 1.0
        M[0, 1, own["first_moment"]] = M[1, 0, own["first_moment"]] = 1.0
        if along is not None:
            M[0, 0, along], M[2, 2, along] = -0.5, 0.5
        return M
    M = np.zeros((4, 4, count))
    M[3, 3, own["mass"]] = 1.0
    inertia = {name.rpartition(".")[2]: k for name, k in own.items() if "inertia" in name}
    for i, a in enumerate("xyz"):
        h = own.get(f"first_moment.{a}", own.get("first_moment") if a == "z" else None)
        if h is not None:
            M[i, 3, h] = M[3, i, h] = 1.0
        for j, b in enumerate("xyz"):
            M[i, j, inertia[min(a, b) + max(a, b)]] = -1.0
        M[i, i, [inertia[c + c] for c in "xyz"]] = 0.5
        M[i, i, inertia[a + a]] = -0.5
    return M


def _stacked(matrices: Array) -> Array:
    """The upper triangles (s, s, count) column by column, off the diagonal by √2."""
    pairs = [(i, j) for j in range(len(matrices)) for i in range(j + 1)]
    return np.array([matrices[i, j] * (1.0 if i == j else np.sqrt(2.0)) for i, j in pairs])
