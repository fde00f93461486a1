"""What a planar 3-RRR can reach as its platform turns, and which limit ends it.

Two of its three coordinates vary in each picture. Colours say which limit is passed outside the
black line; thin lines inside, how much of the margin is left.
"""

import gough
from gough.kinematics import plot_slices, travel
from gough.plots import save_plot

model = gough.Model(gough.load("planar-3rrr"))
for part in travel(model):
    for freedom, ways, ends in zip(
        part.degrees_of_freedom, part.distances, part.limited_by, strict=True
    ):
        print(f"{freedom}: {ways[0]:.3f} and {ways[1]:.3f} {part.unit}, ended by {', '.join(ends)}")
axes = plot_slices(model, title="planar 3-RRR, between every two degrees of freedom")
save_plot(axes, "workspace_slices.png")
