"""Where notices arrive in the tests: a mail server and a push service, both real, both on this machine."""

import asyncio
import base64
import datetime
import ipaddress
import json
import os
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import http_ece  # type: ignore[import-untyped]
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from khamsin.server import wire


class MailServer:
    """Takes mails, as far as it is told to. `refuse` is the answer to RCPT, `tls` what it offers."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.tls = tls
        self.mails: list[EmailMessage] = []
        self.said: list[str] = []
        self.refuse = ""
        self.port = 0
        self.came = threading.Event()

    @contextmanager
    def running(self) -> Iterator["MailServer"]:
        loop, ready = asyncio.new_event_loop(), threading.Event()
        server: list[asyncio.Server] = []

        async def start() -> None:
            server.append(await asyncio.start_server(self.talk, "127.0.0.1", 0))
            self.port = server[0].sockets[0].getsockname()[1]
            ready.set()

        async def stop() -> None:
            server[0].close()
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)

        thread = threading.Thread(target=loop.run_forever)
        thread.start()
        asyncio.run_coroutine_threadsafe(start(), loop)
        ready.wait()
        yield self
        asyncio.run_coroutine_threadsafe(stop(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async def say(line: str) -> None:
            writer.write(line.encode() + b"\r\n")
            await writer.drain()

        await say("220 here")
        while line := (await reader.readline()).decode().strip():
            self.said.append(line)
            match line.split()[0].upper():
                case "EHLO":
                    await say("250-here\r\n250-STARTTLS\r\n250 AUTH PLAIN" if self.tls else "250 here")
                case "STARTTLS" if self.tls:
                    await say("220 go ahead")
                    await writer.start_tls(self.tls)
                case "AUTH":
                    await say("235 welcome")
                case "RCPT" if self.refuse:
                    await say(self.refuse)
                case "DATA":
                    await say("354 go on")
                    text = (await reader.readuntil(b"\r\n.\r\n")).removesuffix(b".\r\n")
                    mail = message_from_bytes(text, policy=policy.default)
                    assert isinstance(mail, EmailMessage)
                    self.mails.append(mail)
                    await say("250 taken")
                    self.came.set()
                case "QUIT":
                    await say("221 bye")
                    break
                case _:
                    await say("250 fine")
        writer.close()


class PushService:
    """A push service with one browser behind it, which reads what comes. `status` is its answer."""

    def __init__(self, tls: ssl.SSLContext) -> None:
        self.status = 201
        self.headers: list[dict[str, str]] = []
        self.messages: list[dict[str, str]] = []
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.auth = os.urandom(16)
        service = self

        class Door(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                service.headers.append({name.lower(): value for name, value in self.headers.items()})
                plain = http_ece.decrypt(body, private_key=service.key, auth_secret=service.auth, version="aes128gcm")
                service.messages.append(json.loads(plain))
                self.send_response(service.status)
                self.send_header("Location", f"https://127.0.0.1:{service.port}/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
        self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]

    @contextmanager
    def running(self) -> Iterator["PushService"]:
        thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield self
        self.server.shutdown()
        thread.join()
        self.server.server_close()

    def subscription(self) -> wire.PushSubscription:
        """What the browser would send us."""
        form = serialization.PublicFormat.UncompressedPoint
        point = self.key.public_key().public_bytes(serialization.Encoding.X962, form)
        return wire.PushSubscription(
            endpoint=f"https://localhost:{self.port}/browser/7", p256dh=_text(point), auth=_text(self.auth)
        )


def certificate(folder: Path) -> tuple[Path, ssl.SSLContext]:
    """A certificate for this machine, and what a server needs to show it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem, secret = folder / "certificate.pem", folder / "key.pem"
    pem.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    secret.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem, secret)
    return pem, context


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
