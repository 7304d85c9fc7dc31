"""What the pages need beyond Sphinx: links from words to symbols, commands from the help, pictures, equations."""
