"""A robot in its home configuration: bodies with frames and masses, and joints between them."""
