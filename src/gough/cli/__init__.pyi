from .robot_text import structure_rows as structure_rows
from .robot_facts import home_facts as home_facts
