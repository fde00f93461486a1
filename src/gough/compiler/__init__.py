"""A symbolic function in, something that runs out: machine code, derivatives, C, CUDA."""
