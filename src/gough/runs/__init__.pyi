from .folder import to_folder as to_folder
from .study import load_folder as load_folder
