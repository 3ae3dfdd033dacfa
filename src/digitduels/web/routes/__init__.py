"""The HTTP routes, one file per subject."""
