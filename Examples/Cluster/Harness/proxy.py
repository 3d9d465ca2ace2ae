"""A network between a replica and its database, which can be broken."""

import socket
import threading
import time

from postgres import HOST


class Proxy:
    """Passes connections on to a port of this machine."""

    def __init__(self, port):
        self.target = port
        self.listener = socket.create_server((HOST, 0))
        self.port = self.listener.getsockname()[1]
        self.url = f"host={HOST} port={self.port} user=service dbname=service"
        self.is_silent = False
        self.sockets = set()
        threading.Thread(target=self.accept, daemon=True).start()

    def cut(self):
        """Closes all connections."""
        for end in list(self.sockets):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # It was closed meanwhile.

    def accept(self):
        while True:
            client = self.listener.accept()[0]
            try:
                server = socket.create_connection((HOST, self.target))
            except OSError:
                client.close()
                continue
            for end in (client, server):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.sockets.add(end)
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=self.pass_on, args=(source, sink), daemon=True).start()

    def pass_on(self, source, sink):
        """Passes on what one end sends. While the network is silent it arrives late, and so does the end."""
        try:
            while data := source.recv(65536):
                self.wait_while_silent()
                sink.sendall(data)
        except OSError:
            pass
        self.wait_while_silent()
        try:
            sink.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.sockets.discard(source)
        source.close()

    def wait_while_silent(self):
        while self.is_silent:
            time.sleep(0.01)
