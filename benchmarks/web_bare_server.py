"""The least server the official SDK allows, over HTTP: what `bare_server.py` is over stdio."""

import socket

import uvicorn

from bare_server import build_server


def main() -> None:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    print(f'{{"endpoint":"http://127.0.0.1:{listener.getsockname()[1]}/mcp"}}', flush=True)
    app = build_server().streamable_http_app()
    uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, timeout_keep_alive=600)).run(
        sockets=[listener]
    )


if __name__ == "__main__":
    main()
