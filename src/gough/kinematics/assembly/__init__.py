"""All poses of a platform at given leg lengths, by following paths of complex solutions."""
