from .declared import (
    Episodes as Episodes,
    LearningTask as LearningTask,
    environment as environment,
    task_names as task_names,
)
