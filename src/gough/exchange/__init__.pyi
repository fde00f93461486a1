from .source import export_kernel as export_kernel
from .importing.imported import (
    Imported as Imported,
    from_mjcf as from_mjcf,
    from_urdf as from_urdf,
    imported as imported,
)
