"""Motion in a small space: a few numbers a frame that determine the entire pose (Wang 2004, chapter VII.2).

May import synthesis and below. In order: `poses` gathers frames without place and heading, `distances` computes the
distances between them, `embedding` finds coordinates that keep these distances, `pose_code` encodes poses as vectors,
`training` fits a `network` that maps coordinates to poses, `space` combines them; `curves` lead through the space,
`making` turns a curve into motion.
"""
