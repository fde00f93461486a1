"""Write kernels, the machine, its plant, a controller or a recording for other tools."""
