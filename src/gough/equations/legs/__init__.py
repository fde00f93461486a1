"""The legs: lengths and directions, their rates, passive joints, mass centres."""
