"""Directed walks: a graph searched for the way that follows a path, shows labels and passes points."""
