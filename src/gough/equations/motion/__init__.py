"""Motion of the platform and of all links: rates, places, margins, singularities."""
