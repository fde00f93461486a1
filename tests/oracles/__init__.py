"""The same machines in other people's rigid-body software, to check our equations against.

Nothing here uses `gough.equations`: geometry, joints and frames are written again from scratch.
"""
