"""Classes: a teacher, a code on the wall, and pupils who play in rooms without accounts."""
