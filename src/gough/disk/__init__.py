"""Files and folders that come into place whole, and are known to be Gough's own."""
