"""Studies of how people see transitions: designs, stimuli, trials, robots, analysis.

Owns: everything about a study that takes a path or a clip. May import: library, pictures and every room below. The
page on which a person answers is no part of it: whoever asks for trials and writes answers is a participant.

- `design`: a study as a file; `ready`: those of the source
- `motions`: which moments of which clips a study shows; `stimuli`: the motions themselves
- `trials`: what a participant sees next, from the answers so far
- `people`: who takes part in the page of a study, and where each of them is
- `robots`: participants that answer by known rules
- `analysis`: what answers tell; `tables`: as tables of text; `page`: as a page with pictures
"""
