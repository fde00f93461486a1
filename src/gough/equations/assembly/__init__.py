"""All poses at given leg lengths: Study coordinates, paths and proofs."""
