from .comparison import Comparison as Comparison
from .grid import run_grid as run_grid
from .grid_results import GridFigure as GridFigure, GridResults as GridResults
from .run import run as run, run_one as run_one
from .study import Balance as Balance, Outputs as Outputs, Study as Study
