from .machine import (
    joint_centers as joint_centers,
    plot_machine as plot_machine,
    save_film as save_film,
)
from .pictures import save_plot as save_plot
from .style import LEG_COLOURS as LEG_COLOURS, literal as literal, words as words
