"""An OCI registry that does what it should not, by the name of the repository. Prints its port.

registry.py FOLDER: FOLDER holds pack.toml and post.wasm, which `token` and `good` hand out.
"""
import hashlib
import http.server
import json
import os
import sys

FILES = {}
for name in ("pack.toml", "post.wasm"):
    with open(os.path.join(sys.argv[1], name), "rb") as f:
        FILES[name] = f.read()
BLOBS = {hashlib.sha256(body).hexdigest(): body for body in FILES.values()}
TITLE = "org.opencontainers.image.title"
TYPE = "application/vnd.oci.image.manifest.v1+json"


def layer(name, **odd):
    body = FILES[name]
    digest = "sha256:" + hashlib.sha256(body).hexdigest()
    return {"mediaType": "x/y", "digest": digest, "size": len(body), "annotations": {TITLE: name}, **odd}


def manifest(repository):
    layers = [layer("pack.toml"), layer("post.wasm")]
    if repository == "shorter":
        layers[0]["size"] -= 1
    elif repository == "negative":
        layers[0]["size"] = -1
    elif repository == "walks":
        layers[0]["digest"] = "sha256:../../../../etc/passwd"
    elif repository == "many":
        layers = layers * 20
    elif repository == "untitled":
        del layers[0]["annotations"]
    elif repository == "index":
        return {"schemaVersion": 2, "manifests": []}
    config = {"mediaType": "x/y", "digest": "sha256:" + "0" * 64, "size": 2}
    return {"schemaVersion": 2, "mediaType": TYPE, "config": config, "layers": layers}


class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, code, body=b"", **headers):
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        here = "http://127.0.0.1:%d" % self.server.server_address[1]
        if self.path.startswith("/sign-in"):
            # Whoever asks without the scope that the challenge named gets none.
            good = "service=r.example" in self.path and "scope=repository:token:pull" in self.path
            return self.answer(200, json.dumps({"token": "t0k3n" if good else "no"}).encode())
        _, _, repository, kind, name = self.path.split("/", 4)
        if repository == "token" and self.headers.get("Authorization") != "Bearer t0k3n":
            wants = 'Bearer realm="%s/sign-in",service="r.example",scope="repository:token:pull"' % here
            return self.answer(401, WWW_Authenticate=wants)
        if repository == "elsewhere":
            return self.answer(401, WWW_Authenticate='Bearer realm="http://10.0.0.1/x",service="r"')
        if repository == "password":
            return self.answer(401, WWW_Authenticate='Basic realm="r"')
        if repository == "away":
            return self.answer(307, Location="http://10.0.0.1/v2/x/manifests/1")
        if repository == "endless":
            self.send_response(200)
            self.end_headers()
            try:
                while True:
                    self.wfile.write(b"0" * 65536)
            except OSError:
                return
        if kind == "manifests":
            return self.answer(200, json.dumps(manifest(repository)).encode(), Content_Type=TYPE)
        body = BLOBS.get(name.removeprefix("sha256:"))
        if body is None:
            return self.answer(404)
        if repository == "other":
            body = bytes([body[0] ^ 1]) + body[1:]
        self.answer(200, body)

    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
