"""Motion from joint positions: rotations of an estimated or given skeleton that fit its joints to the positions.

- `layouts`: known joint orders, recognised by joint count
- `trees`: parents of the joints, by name or as given; joints between others that the input lacks
- `growing`: the skeleton, with median bone lengths over frames and mean directions of trunk, neck and head
- `turning`: rotations that align the bones with the positions
- `fit`: the complete conversion; gaps are bridged, noise is measured and smoothed
"""
