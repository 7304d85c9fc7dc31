"""Directed walks: search of a graph for the walk that follows a path, shows labels and passes points."""
