"""Frames through a socket arrive whole and in order, however they are split."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from kgprobe.processes.channel import Channel


@pytest.fixture
def ends() -> Iterator[tuple[Channel, socket.socket]]:
    ours, theirs = socket.socketpair()
    channel = Channel(ours)
    yield channel, theirs
    channel.close()
    theirs.close()


def test_frames_arrive_as_sent() -> None:
    one, other = map(Channel, socket.socketpair())
    frames = [b"", b"a", b"\0" * 10, bytes(range(256)) * 20_000]
    sender = threading.Thread(target=one.send, args=frames)
    sender.start()
    assert [other.receive() for _ in frames] == frames
    sender.join()
    assert other.received() is None
    one.close()
    with pytest.raises(EOFError):
        other.received()
    with pytest.raises(EOFError):
        other.receive()
    other.close()


def test_an_incomplete_frame_is_not_received(ends: tuple[Channel, socket.socket]) -> None:
    channel, theirs = ends
    assert not channel.wait(0)
    for byte in (3).to_bytes(8, "big") + b"ab":
        theirs.sendall(bytes([byte]))
        assert channel.wait(1)
        assert channel.received() is None
    theirs.sendall(b"c" + (1).to_bytes(8, "big") + b"d" + (5).to_bytes(8, "big"))
    assert channel.received() == b"abc"
    assert channel.received() == b"d"
    assert channel.received() is None


def test_a_closed_peer_is_noticed(ends: tuple[Channel, socket.socket]) -> None:
    channel, theirs = ends
    theirs.close()
    assert channel.wait(0)
    with pytest.raises(OSError, match="pipe"):
        channel.send(b"x" * 1_000)


def test_a_frame_that_is_too_long_is_refused_at_once() -> None:
    ours, theirs = socket.socketpair()
    channel = Channel(ours, longest=10)
    theirs.sendall((10).to_bytes(8, "big") + b"x" * 10 + (2**60).to_bytes(8, "big"))
    assert channel.receive() == b"x" * 10
    with pytest.raises(OSError, match="longer than 10"):
        channel.received()
    channel.close()
    theirs.close()
