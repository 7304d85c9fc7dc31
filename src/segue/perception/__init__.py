"""Perception of differences: psychometric functions, procedures that find thresholds, and simulated observers.

Owns: statistics of answers. May import: motion and every package below, though it needs little more than arrays. It
does not depend on clips, files or studies.

- `psychometric`: share of right answers by the difference shown; `fitting`: its fit to answers, with intervals
- `procedures`: constant stimuli, staircases, a Bayesian method
- `estimators`: thresholds from tracks, and the levels at which procedures converge
- `observers`: robots
- `differences`: tests whether thresholds differ between motions
- `inference`: tests of preferences and ratings
"""
