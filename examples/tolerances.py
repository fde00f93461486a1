"""How exact a hexapod must be built: what errors of its joints, encoders and masses do to it.

By exact derivatives, one number at a time, which says where errors come from; and with twenty
thousand Monte Carlo samples, which show what most of the machines do.
"""

import gough
from gough.plots import save_plot

robot = gough.load("demo-hexapod")
pose = gough.pose([0.1, 0, 1.0], rpy=[0, 8, 0], degrees=True)
tolerances = {
    "legs[*].base": "0.1 mm",
    "legs[*].platform": "0.1 mm",
    "legs[*].length_offset": "±50 um",
    "platform.mass": "1 %",
}
found = gough.tolerances(robot, pose, tolerances, samples=20_000, rng=1)

print(f"{len(found.stated.places)} numbers with errors")
print(f"rms: {1e3 * found.position_error:.3f} mm and {1e3 * found.orientation_error:.3f} mrad")
most = found.monte_carlo.position_error_95, found.monte_carlo.orientation_error_95
print(f"95 % of the machines are off by less than {1e3 * most[0]:.3f} mm and", end=" ")
print(f"{1e3 * most[1]:.3f} mrad")
for pattern, share in found.shares("position", "pattern").items():
    print(f"{100 * share:5.1f} % of the position error from {pattern}")
save_plot(found.plot(), "tolerances.png")
