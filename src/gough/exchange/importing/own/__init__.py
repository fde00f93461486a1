"""Files that Gough wrote: the robot's own numbers, to the last bit, and what the format cannot say.

Gough writes positions as exact differences of decimals; their sums are the numbers of the robot
file again. A checksum in the file tells that nobody has changed it.
"""
