from .declared import LearningTask as LearningTask, task_names as task_names
from .environments import environment as environment, make as make
from .episodes import Episodes as Episodes
