"""Standard input and output to a Unix socket and back: what a gate starts as "the server". Standard library only.

    python -I -S relay.py SOCKET SESSION SERVER
"""

import os
import socket
import sys
import threading


def main() -> None:
    path, session, server = sys.argv[1:4]
    link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    link.connect(path)
    link.sendall(f"{session}\t{server}\n".encode())

    def up() -> None:
        while data := os.read(0, 1 << 16):
            link.sendall(data)
        link.shutdown(socket.SHUT_WR)

    threading.Thread(target=up, daemon=True).start()
    while data := link.recv(1 << 16):
        view = memoryview(data)
        while view:
            view = view[os.write(1, view) :]


if __name__ == "__main__":
    try:
        main()
    except OSError:
        raise SystemExit(1) from None
