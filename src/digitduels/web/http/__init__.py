"""Everything between the socket and the routes: checks, rate limits, errors, metrics and the request log."""
