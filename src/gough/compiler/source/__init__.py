"""Source text for elsewhere: C99 and CUDA."""
