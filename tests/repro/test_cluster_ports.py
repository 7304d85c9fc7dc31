"""Clusters running next to one another, or next to another program on Dask's port, warned that the port was in use."""

from __future__ import annotations

import contextlib
import socket
import warnings

import pytest

from segue.library.cluster import Cluster

pytest.importorskip("distributed", reason="needs the scale extra")


def test_a_cluster_needs_no_port_of_its_own() -> None:
    """A cluster starts without a warning while another program listens on 8787."""
    with socket.socket() as taken:
        with contextlib.suppress(OSError):  # another program has it already
            taken.bind(("127.0.0.1", 8787))
            taken.listen()
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            with Cluster(processes=1):
                pass
    assert not [str(one.message) for one in seen if "8787" in str(one.message)]
