"""A channel: whatever is cut and whenever, a client that says what it saw receives everything, once and in order."""

import json
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memotheca.server.channel import KEPT, Channel, Gone
from memotheca.server.limits import ByteBudget

# How many messages are published, then how many of those due are received before the stream is cut.
STEPS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 8)), max_size=12)


def open_channel() -> Channel:
    to_server, incoming = anyio.create_memory_object_stream[Any](0)
    to_server.close()
    incoming.close()
    return Channel(to_server, 16 * 1024 * 1024, ByteBudget(256 * 1024 * 1024))


@given(STEPS, st.booleans())
def test_nothing_is_lost_or_doubled_by_cuts(steps, with_heartbeats):
    async def run() -> None:
        channel, seen, published, received = open_channel(), None, 0, []
        for more, taken in steps:
            for _ in range(more):
                await channel.publish({"n": published})
                published += 1
            stream, after = channel.attach(seen)
            if with_heartbeats:
                seen = channel.passing("heartbeat", "{}").number if not _due(channel, after) else seen
            events = channel.follow(stream, after)
            for _ in range(min(taken, len(_due(channel, after)))):
                event = await anext(events)
                received.append(json.loads(event.text)["n"])
                seen = event.number
            await events.aclose()
        assert received == list(range(len(received)))
        stream, after = channel.attach(seen)
        rest = [json.loads(event.text)["n"] for event in _due(channel, after)]
        assert received + rest == list(range(published))

    anyio.run(run)


def _due(channel: Channel, after: int) -> list[Any]:
    return [event for event in channel._events if event.number > after]


def test_a_channel_holds_no_more_than_it_may_and_says_so_to_whoever_missed_more():
    async def run() -> None:
        channel = open_channel()
        stream, after = channel.attach(None)
        events = channel.follow(stream, after)
        for number in range(3 * KEPT):
            await channel.publish({"n": number})
            await anext(events)
        assert len(channel._events) <= KEPT + 1
        with pytest.raises(Gone):
            channel.attach(1)

    anyio.run(run)


def test_whoever_publishes_too_much_for_an_absent_client_waits():
    async def run() -> None:
        channel = open_channel()
        for number in range(KEPT):
            await channel.publish({"n": number})
        with anyio.move_on_after(0.01) as waited:
            await channel.publish({"n": KEPT})
        assert waited.cancelled_caught
        channel.show(1, 1, {})
        assert len(channel._events) == KEPT

    anyio.run(run)


def test_a_client_cut_after_a_heartbeat_still_has_what_it_missed():
    async def run() -> None:
        channel = open_channel()
        channel.attach(None)
        await channel.publish({"n": 0})
        channel.attach(0)
        seen = channel.passing("endpoint", "/messages").number
        stream, after = channel.attach(seen)
        events = channel.follow(stream, after)
        assert json.loads((await anext(events)).text) == {"n": 0}
        await events.aclose()

    anyio.run(run)
