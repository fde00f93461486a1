from .reading import Analysis as Analysis, analysed as analysed
