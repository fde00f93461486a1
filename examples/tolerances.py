"""How exact a hexapod must be built: what errors of its joints, encoders and masses do to it.

By exact derivatives, one number at a time, which says where errors come from; and with twenty
thousand machines drawn at random, which says what most of them do.
"""

import gough
from gough.kinematics import save_tolerances

robot = gough.load("demo-hexapod")
pose = gough.pose([0.1, 0, 1.0], rpy=[0, 8, 0], degrees=True)
spread = {
    "legs[*].base": "0.1 mm",
    "legs[*].platform": "0.1 mm",
    "legs[*].length_offset": "±50 um",
    "platform.mass": "1 %",
}
found = gough.tolerances(robot, pose, spread, robots=20_000, seed=1)

print(f"{len(found.spread.places)} numbers with errors")
print(f"rms: {1e3 * found.way:.3f} mm and {1e3 * found.turn:.3f} mrad")
most = found.drawn.way_of_most, found.drawn.turn_of_most
print(f"95 % of the machines are off by less than {1e3 * most[0]:.3f} mm and", end=" ")
print(f"{1e3 * most[1]:.3f} mrad")
for pattern, share in found.shares("way", "pattern").items():
    print(f"{100 * share:5.1f} % of the way from {pattern}")
save_tolerances(found, "tolerances.png")
