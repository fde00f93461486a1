from .front.argument import Argument as Argument
from .front.function import Function as Function
from .front.program import Program as Program
from .native.disk_kernels import compiled as compiled, kernel_of as kernel_of
from .native.kernel import Kernel as Kernel
from .native.recurrence import Recurrence as Recurrence
from .memo import forget as forget, remembered as remembered
from .source.c import c_example as c_example, c_header as c_header, c_source as c_source
from .source.cuda import cuda_source as cuda_source
from .source.gpu import GpuKernel as GpuKernel
from .source.javascript import javascript_source as javascript_source
from .source.javascript import webassembly_source as webassembly_source
