#!/usr/bin/env python3
"""Peers of an image under test: a name server at ADDRESS:53 that knows one name, and an API server and Prometheus of
one node, both behind TLS on 127.0.0.1. Prints the port when both listen, and then the paths that are asked for.

    peers.py CERTIFICATE KEY NAME ADDRESS
"""
import http.server
import json
import socket
import ssl
import struct
import sys
import threading

certificate, key, name, address = sys.argv[1:]
WIRE = b"".join(bytes([len(part)]) + part.encode() for part in name.split(".")) + b"\0"


def answer_names(names):
    while True:
        query, peer = names.recvfrom(512)
        known = query[12:].startswith(WIRE + struct.pack(">HH", 1, 1))
        found = query[12 : 12 + len(WIRE) + 4]
        answers = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 60, 4) + socket.inet_aton("127.0.0.1") if known else b""
        head = query[:2] + struct.pack(">HHHHH", 0x8580, 1, 1 if known else 0, 0, 0)
        names.sendto(head + found + answers, peer)


def event(kind, meta):
    return json.dumps({"type": kind, "object": {"kind": "Node", "apiVersion": "v1", "metadata": meta}}).encode() + b"\n"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        print(self.path, flush=True)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        if "watch=" not in self.path:
            text = b'{"status": "success", "data": {"resultType": "vector", "result": []}}'
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)
            return
        self.send_header("Connection", "close")
        self.end_headers()
        meta = {"resourceVersion": "1", "annotations": {"k8s.io/initial-events-end": "true"}}
        self.wfile.write(event("ADDED", {"name": "node-1", "uid": "1", "resourceVersion": "1"}))
        self.wfile.write(event("BOOKMARK", meta))
        threading.Event().wait()

    do_POST = do_GET

    def log_message(self, *_):
        pass


names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
names.bind((address, 53))
threading.Thread(target=answer_names, args=(names,), daemon=True).start()
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()
