"""Time of a character that lives, through keytimes, ways and types: kernels only. May import locomotion and below."""
