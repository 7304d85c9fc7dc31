"""Motion from joint positions: a skeleton grown from them, or one that is given, turned so that its joints lie there.

- `layouts`: orders of joints that are known by their count
- `trees`: which joint hangs on which, by names or as given; joints in between that no file holds
- `growing`: the skeleton, bone lengths by the median over frames; trunk, neck and head by the mean
- `turning`: rotations that carry each bone where the positions have it
- `fit`: all of it put together; joints not seen for a while are bridged, noise is measured and smoothed
"""
