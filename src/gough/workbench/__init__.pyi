from .notebook import view as view
from .writing import workbench_page as workbench_page, write_workbench as write_workbench
