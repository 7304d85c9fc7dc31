"""Directed walks: a graph searched for the walk that follows a path, shows labels and passes points."""
