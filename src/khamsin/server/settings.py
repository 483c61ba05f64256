"""The operator's settings of a server, read from the environment. Without any a server is complete, but sends no mail,
trusts no proxy and accepts no other origin than its own.

>>> Settings.read({"KHAMSIN_SMTP_URL": "smtp://mail.example?from=table@table.example"}).mail
Mail(host='mail.example', port=587, sender='table@table.example', user='', tls='offered')
>>> Settings.read({"KHAMSIN_SMTP_URL": "http://mail.example"})
Traceback (most recent call last):
...
ValueError: KHAMSIN_SMTP_URL: expected smtp://USER:PASSWORD@HOST:PORT?from=ADDRESS, or smtps:// for TLS from the start
"""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import parse_qs, unquote, urlsplit

MAIL_URL = "smtp://USER:PASSWORD@HOST:PORT?from=ADDRESS, or smtps:// for TLS from the start"
ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})*")
"""A plain mail address, as a browser takes it."""


@dataclass(frozen=True)
class Mail:
    """The mail server, and the sender."""

    host: str
    port: int
    sender: str
    user: str = ""
    password: str = field(default="", repr=False)
    tls: Literal["at once", "offered", "never"] = "offered"
    """When TLS begins: with the connection (smtps), when the server offers it, or never (?tls=never, for a relay on the same
    machine). A password is only ever sent under TLS."""

    @classmethod
    def parse(cls, url: str) -> Mail:
        """Return a mail server by its URL."""
        wrong = ValueError(f"KHAMSIN_SMTP_URL: expected {MAIL_URL}")
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:
            raise wrong from None
        query = parse_qs(parts.query)
        sender = query.pop("from", [""])[0]
        never = query.pop("tls", [""]) == ["never"]
        if parts.scheme not in ("smtp", "smtps") or not parts.hostname or query or not ADDRESS.fullmatch(sender):
            raise wrong
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
        if parts.scheme == "smtps":
            return cls(parts.hostname, port or 465, sender, user, password, "at once")
        return cls(parts.hostname, port or 587, sender, user, password, "never" if never else "offered")


@dataclass(frozen=True)
class Settings:
    """The operator's settings of a server."""

    url: str = ""
    """The address under which players know this server, for links in notices; without it, no mail and no push is sent."""
    proxies: tuple[str, ...] = ()
    """Addresses and networks whose X-Forwarded-For and X-Forwarded-Proto are trusted."""
    origins: frozenset[str] = frozenset()
    """Origins besides our own that may change something."""
    mail: Mail | None = None
    push_to_private: bool = False
    """Whether push messages may be sent to private addresses: for a private push service."""
    lab: int = 1
    """How many processes the laboratory may use; with none it is closed."""
    rate_scale: float = 1.0
    """How many times the rates of `limits` one caller is allowed."""

    @classmethod
    def read(cls, environment: Mapping[str, str] = os.environ) -> Settings:
        """Return the settings of the environment; raise ValueError for an invalid one."""
        mail = environment.get("KHAMSIN_SMTP_URL", "")
        return cls(
            url=_origin("KHAMSIN_URL", environment.get("KHAMSIN_URL", "")),
            proxies=tuple(_network(name) for name in _list(environment, "KHAMSIN_PROXIES")),
            origins=frozenset(_origin("KHAMSIN_ORIGINS", name) for name in _list(environment, "KHAMSIN_ORIGINS")),
            mail=Mail.parse(mail) if mail else None,
            push_to_private=environment.get("KHAMSIN_PUSH_TO_PRIVATE", "") == "1",
            lab=_processes(environment.get("KHAMSIN_LAB", ""), public=bool(environment.get("KHAMSIN_URL"))),
            rate_scale=_positive("KHAMSIN_RATE_SCALE", environment.get("KHAMSIN_RATE_SCALE", "1")),
        )


def _list(environment: Mapping[str, str], name: str) -> list[str]:
    return [part.strip() for part in environment.get(name, "").split(",") if part.strip()]


def _origin(setting: str, text: str) -> str:
    if not text:
        return ""
    match = re.fullmatch(r"(https?://[^/?#@\s]+)/?", text)
    if not match:
        raise ValueError(f"{setting}={text!r}: expected an address without a path, such as https://table.example")
    return match[1].lower()


def _network(text: str) -> str:
    try:
        return str(ipaddress.ip_network(text))
    except ValueError:
        raise ValueError(f"KHAMSIN_PROXIES={text!r}: expected an address or a network, such as 10.0.0.0/8") from None


def _processes(text: str, public: bool) -> int:
    """Return the processes of the laboratory. By default none on a public server, else all processors but one."""
    if not text:
        return 0 if public else max(1, (os.cpu_count() or 1) - 1)
    if not text.isdecimal() or int(text) > 256:
        raise ValueError(f"KHAMSIN_LAB={text!r}: expected a number of processes, 0 to close the laboratory")
    return int(text)


def _positive(setting: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < 1e9:
        raise ValueError(f"{setting}={text!r}: expected a number above 0")
    return number
