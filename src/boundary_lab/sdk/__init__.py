"""Each module here is the only one that imports its SDK; the core works without any of them."""
