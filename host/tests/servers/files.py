"""Serves the files of a folder over TLS, with the test's own certificate. Prints its port.

/to/NAME redirects to /NAME, /plain/NAME to an address without encryption, /round/NAME to itself.
"""
import http.server
import os
import ssl
import sys

FOLDER = sys.argv[1]


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        folder, _, name = self.path.strip("/").rpartition("/")
        port = self.server.server_address[1]
        leads = {"to": "/%s" % name, "plain": "http://localhost:%d/%s" % (port, name), "round": self.path}
        if folder in leads:
            self.send_response(302)
            self.send_header("Location", leads[folder])
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        try:
            with open(os.path.join(FOLDER, name), "rb") as f:
                body = f.read()
        except OSError:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(os.path.join(os.path.dirname(__file__), "tls", "server.pem"))
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()
