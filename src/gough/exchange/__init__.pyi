from .linuxcnc.component import export_linuxcnc as export_linuxcnc
from .source import export_kernel as export_kernel
from .structured_text import export_structured_text as export_structured_text
