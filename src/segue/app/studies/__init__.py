"""Studies of how people see transitions: designs, stimuli, trials, robots, analysis.

Owns: everything about a study that takes a path or a clip. May import: library, pictures and every package below. The
page on which a person answers is elsewhere: any program that asks for trials and writes answers is a participant.

- `design`: a study as a file; `designs`: the ready ones, from the sources
- `motions`: the moments of the clips that a study shows; `stimuli`: the motions themselves
- `trials`: the next trial of a participant, from the answers so far
- `people`: participants on the page of a study, and their progress
- `robots`: participants that answer by known rules
- `analysis`: findings from answers; `differences`, `preferences`, `ratings`: by kind of study; `page`: as a page
  with pictures and tables of text
"""
