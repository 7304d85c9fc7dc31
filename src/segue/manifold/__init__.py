"""Motion in a small space: a few numbers a frame that determine the whole pose (Wang 2004, chapter VII.2).

May import synthesis and below. The order of work: `poses` gathers frames without place and heading, `distances` gives
the distance of any two, `embedding` finds coordinates that keep these distances, `pose_code` writes poses as vectors,
`training` fits a `network` that gives a pose for coordinates, `space` holds all of it; `curves` lead through the space,
`making` turns a curve into motion.
"""
