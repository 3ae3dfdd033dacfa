"""Classes: a teacher, a code on the wall, and pupils without accounts who play in rooms."""
