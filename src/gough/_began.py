"""When this process began to read Gough's sources: the first module that it loads."""

import time

BEGAN = time.time()
"""[s]"""
