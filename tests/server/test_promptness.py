"""HTTP: an answer leaves when it is made, on connections that are kept as on new ones."""

import socket

import anyio
import pytest
import uvicorn

from memotheca.model.errors import Refusal
from memotheca.server.web import _listen  # pyright: ignore[reportPrivateUsage]
from tests.patience import PATIENCE

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def anyio_backend():
    return "asyncio"


async def _nothing(scope, receive, send):
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
async def test_no_accepted_connection_holds_back_what_it_sends(host):
    try:
        listener = _listen(host, 0)
    except Refusal:
        pytest.skip(f"this machine has no {host}")
    server = uvicorn.Server(uvicorn.Config(_nothing, log_config=None, access_log=False, lifespan="off"))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(server.serve, [listener])
        async with await anyio.connect_tcp(host, listener.getsockname()[1]) as stream:
            await stream.send(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            with anyio.fail_after(PATIENCE):
                assert b"204" in await stream.receive()
            (connection,) = server.server_state.connections
            accepted = connection.transport.get_extra_info("socket")
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        server.should_exit = True
