"""Following paths in Study coordinates with vectorised NumPy: the same steps as the kernels'."""

from __future__ import annotations

import numpy as np

from gough.equations.assembly.study import ORDER


def forms(coefficients):
    """The quadratic forms (7, 8, 8) of six conditions (6, 17) and of e·g."""
    return np.concatenate([np.tensordot(coefficients, MONOMIALS, 1), STUDY[None]])


def follow(start, end, points, tolerance, most_steps=160):
    """Follow points (n, 8) from the forms `start` to `end`; the points there, and who arrived."""
    change = end - start
    x, last_x = points.astype(complex), points.astype(complex)
    s, last_s = np.zeros(len(x)), np.zeros(len(x))
    boldness, arrived = np.ones(len(x)), np.zeros(len(x), dtype=bool)
    going = np.arange(len(x))
    for _ in range(most_steps):
        here, Q = s[going], start + s[going, None, None, None] * change
        X, size = _corrected(Q, x[going])
        series = _series(Q, change, X)
        room, reach = _reach(series, tolerance)
        good, onward = size < 0.15 * room, here > last_s[going]
        less = np.where(onward, boldness[going] / 3, boldness[going])
        boldness[going] = np.where(good, np.minimum(1, 1.5 * boldness[going]), less)
        left, step = 1 - here, boldness[going] * reach
        last = step >= left
        predicted = series[-1]
        for coefficient in reversed(series[:-1]):
            predicted = coefficient + np.where(last, left, step)[:, None] * predicted
        predicted /= np.linalg.norm(predicted, axis=1, keepdims=True)
        back = np.where(onward[:, None], last_x[going], X)
        x[going] = np.where(good[:, None], predicted, back)
        s[going] = np.where(good, np.where(last, 1.0, here + step), last_s[going])
        last_x[going] = np.where(good[:, None], X, last_x[going])
        last_s[going] = np.where(good, here, last_s[going])
        arrived[going] = good & last
        going = going[~(good & last) & (step > 1e-13)]
        if len(going) == 0:
            break
    return x, arrived


def _bordered(Q, x):
    QX = np.matmul(Q, x[:, None, :, None])[..., 0]
    return np.concatenate([2 * QX, x.conj()[:, None]], 1)


def _corrected(Q, x):
    J = _bordered(Q, x)
    values = np.matmul(J, x[..., None]) / 2
    values[:, 7] = 0
    step = np.linalg.solve(J, values)[..., 0]
    new = x - step
    new /= np.linalg.norm(new, axis=1, keepdims=True)
    return new, np.linalg.norm(step, axis=1)


def _series(Q, change, x):
    inverse = np.linalg.inv(_bordered(Q, x))[:, :, :7]
    series = [x]
    before = _values(change, x, x)
    for m in range(1, ORDER + 1):
        values = before
        for i in range(1, m // 2 + 1):
            values = values + _values(Q, series[i], series[m - i]) * (1 if 2 * i == m else 2)
        series.append(-np.matmul(inverse, values[..., None])[..., 0])
        before = _values(change, x, series[m]) * 2
        for i in range(1, m // 2 + 1):
            weight = 1 if 2 * i == m else 2
            before = before + _values(change, series[i], series[m - i]) * weight
    return series


def _values(Q, x, y):
    return np.matmul(np.matmul(Q, y[:, None, :, None])[..., 0], x[..., None])[..., 0]


def _reach(series, tolerance):
    n = [np.linalg.norm(c, axis=1) for c in series]
    R = np.minimum(n[-2] / n[-1], n[-3] / n[-2])
    last = np.maximum(n[-1], n[-2] ** 2 / n[-3])
    room = np.minimum(1, n[1] * R)
    return room, (tolerance * room / last) ** (1 / ORDER)


def _monomials():
    forms = np.zeros((17, 8, 8))
    for k in range(4):
        forms[0, k, k] = forms[16, 4 + k, 4 + k] = 1
    for k in (1, 2, 3):
        forms[k, k, k] = 1
    for row, (i, j) in enumerate(zip(*np.triu_indices(4, 1), strict=True)):
        for where, value in (
            ((4 + row, i, j), 1),
            ((10 + row, 4 + i, j), 1),
            ((10 + row, 4 + j, i), -1),
        ):
            form, a, b = where
            forms[form, a, b] += value / 2
            forms[form, b, a] += value / 2
    return forms


MONOMIALS = _monomials()
STUDY = np.block([[np.zeros((4, 4)), np.eye(4) / 2], [np.eye(4) / 2, np.zeros((4, 4))]])
