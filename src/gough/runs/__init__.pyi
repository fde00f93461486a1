from .simulation import simulate_to_folder as simulate_to_folder
from .study import load_folder as load_folder, run_to_folder as run_to_folder
