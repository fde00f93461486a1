"""Links and joints: bodies, what joints do to them, and the description that names them."""
