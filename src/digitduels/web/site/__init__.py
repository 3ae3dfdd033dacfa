"""A site without a server: a folder with the page, the package and a Python for browsers, for any web space."""
