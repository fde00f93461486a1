"""What a command ends with."""

DONE, FAILED, WRONG_USAGE, INTERNAL, INTERRUPTED = 0, 1, 2, 70, 130
