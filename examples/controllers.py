"""Three controllers carry 45 kg that they do not know of, and how far the platform is off.

All have poles at 6 Hz. The unknown weight pushes all of them away; only the one
with an integral part comes back.
"""

import matplotlib.pyplot as plt
import numpy as np

import gough
from gough.motion import Payload, Quintic, line
from gough.simulation import place_poles

robot = gough.load("demo-hexapod")
model = gough.Model(robot)
motion = line(robot.home, [0.1, 0, 0.05], Quintic(1.0))
load = Payload(mass=45, center_of_mass=(0, 0, 0.2))
kinds = {"joint-pid": {"integral_rate": 8}, "pd-gravity": {}, "computed-torque": {}}

figure, axis = plt.subplots(figsize=(7, 3.8), layout="constrained")
for kind, options in kinds.items():
    controller = place_poles(model, kind, frequency=6, **options)
    results = gough.simulate(gough.Scenario(model, controller, motion, tasks=[load], duration=2.0))
    error = 1e3 * np.linalg.norm(results["pose_error"][:, :3], axis=1)
    print(f"{kind}: at most {error.max():.2f} mm, in the end {error[-1]:.2f} mm")
    axis.plot(results.time, error, label=kind)
axis.set(
    xlabel="time [s]",
    ylabel="error of the platform [mm]",
    title="demo-hexapod, 45 kg more than known",
)
axis.grid(alpha=0.3)
axis.legend(frameon=False)
figure.savefig("controllers.png", dpi=110)
