"""The commands of `gough`: a module for each panel of the help, around library functions."""
