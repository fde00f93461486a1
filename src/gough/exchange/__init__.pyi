from .source import export_kernel as export_kernel, export_kernels as export_kernels
