"""Games in links: what the server answers about them. Nothing here imports a web package, so it runs anywhere."""
