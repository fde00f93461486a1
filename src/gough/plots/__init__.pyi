from .machine import (
    draw_machine as draw_machine,
    joint_centers as joint_centers,
    save_drawing as save_drawing,
)
from .style import LEG_COLOURS as LEG_COLOURS, literal as literal, words as words
