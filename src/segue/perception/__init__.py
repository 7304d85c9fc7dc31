"""What people notice: psychometric functions, procedures that find thresholds, and simulated observers.

Owns: numbers about answers. May import: motion and every floor below, though it needs little more than arrays. Knows
no clip, no file and no study.

- `psychometric`: share of right answers by the difference shown; `fitting`: fitted to answers, with intervals
- `procedures`: constant stimuli, staircases, a Bayesian method
- `estimators`: thresholds from tracks, and where procedures converge
- `observers`: robots
- `differences`: whether thresholds differ between motions
"""
