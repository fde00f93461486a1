from .source import export_kernel as export_kernel
from .fmu.export import export_fmu as export_fmu
