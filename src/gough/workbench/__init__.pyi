from .notebook import view as view
from .policies import LinearPolicy as LinearPolicy
from .writing import workbench_page as workbench_page, write_workbench as write_workbench
