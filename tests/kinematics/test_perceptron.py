"""The perceptron, against NumPy's own tanh."""

import casadi as ca
import numpy as np

from gough.kinematics.forward.neural import perceptron, tanh_nearly


def test_the_s_shaped_function_is_tanh_to_1e_4_everywhere():
    x = np.concatenate([np.linspace(-8, 8, 4001), [-1e9, 1e9, 0.0]])
    np.testing.assert_allclose(np.array(tanh_nearly(ca.DM(x))).ravel(), np.tanh(x), atol=1.1e-4)


def test_what_is_not_a_number_stays_so():
    assert np.isnan(float(tanh_nearly(ca.DM(np.nan))))


def test_layers_are_weighted_sums_with_tanh_between():
    rng = np.random.default_rng(0)
    layers = [
        (rng.normal(size=(a, b)), rng.normal(size=a)) for a, b in ((15, 6), (20, 15), (6, 20))
    ]
    x = rng.normal(size=6)
    (w_1, b_1), (w_2, b_2), (w_3, b_3) = layers
    expected = w_3 @ np.tanh(w_2 @ np.tanh(w_1 @ x + b_1) + b_2) + b_3
    found = perceptron([(ca.DM(w), ca.DM(b)) for w, b in layers], ca.DM(x))
    np.testing.assert_allclose(np.array(found).ravel(), expected, atol=5e-3)
