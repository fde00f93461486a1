from .brief import brief as brief, spelled_out as spelled_out
