from .grid import Comparison as Comparison, run_grid as run_grid
from .grid_results import GridFigure as GridFigure, GridResults as GridResults
from .recorded import with_recording as with_recording
from .run import run as run, run_one as run_one
from .reading import Balance as Balance, Outputs as Outputs
from .study import Study as Study
