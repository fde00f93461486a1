from .declared import LearningTask as LearningTask, task_names as task_names
from .episodes import Episodes as Episodes, environment as environment
