from .source import export_kernel as export_kernel
