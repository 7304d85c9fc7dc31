"""Sphinx extensions of the pages: links from words to symbols, commands from the help, pictures, equations."""
