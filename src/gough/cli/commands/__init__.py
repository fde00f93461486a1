"""The commands of `gough`: one file each, around one library function."""
