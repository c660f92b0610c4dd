"""Keys, and where they may go: each to its provider's own host, to this machine, or where the user said so.

A config names a variable and an address. Were both believed, a stranger's config could send any variable of the user's
anywhere; so the pair must be known here, or allowed outside the project.
"""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from harness.errors import UserError, WorldError
from harness.models.client import Client, Session
from harness.records import Model

OWN = {
    "api.openai.com": "OPENAI_API_KEY",
    "api.anthropic.com": "ANTHROPIC_API_KEY",
    "api.deepseek.com": "DEEPSEEK_API_KEY",
    "api.jina.ai": "JINA_API_KEY",
    "api.cohere.com": "COHERE_API_KEY",
    "api.mistral.ai": "MISTRAL_API_KEY",
    "api.groq.com": "GROQ_API_KEY",
    "api.together.xyz": "TOGETHER_API_KEY",
    "openrouter.ai": "OPENROUTER_API_KEY",
    "api.voyageai.com": "VOYAGE_API_KEY",
}
"""Providers' own hosts, and the one variable that each may be sent."""
_LINE = re.compile(r"(?:export\s+)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)\s*=\s*(?P<value>.*?)\s*\Z")


@dataclass
class Credentials:
    """The keys of environment and `.env`, and the hosts that the user allowed."""

    allowed: Sequence[str] = ()
    """Hosts, or "HOST=VARIABLE"."""
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    dotenv: Path = Path(".env")
    _used: set[str] = field(default_factory=set)

    def address(self, model: Model, client: Client) -> str:
        """Where the model is: the config's url, else the one in the shell's environment, else the provider's own."""
        url = model.url or self.environment.get(client.url_env) or client.url
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query:
            raise UserError(f"model {model.name!r}: the url {url!r} is not of the form https://host/v1.")
        return url.rstrip("/")

    def session(self, model: Model, client: Client) -> Session:
        """The address with the key that may go there. Raises WorldError where there is no key, UserError for a wrong host."""
        url = self.address(model, client)
        name = client.key_env if model.key_env is None else model.key_env
        value = self._value(name) if name else None
        if value is None and name and not loopback(url) and (model.key_env or url == client.url):
            raise WorldError(f"model {model.name!r} needs a key: set the environment variable {name}, here or in .env.")
        if value is not None:
            self._refuse(url, name, client)
            self._used.add(value)
        return Session(url, value, model.seconds)

    def mask(self, text: str) -> str:
        """The text without any key that was sent."""
        for value in sorted(self._used, key=len, reverse=True):
            text = text.replace(value, "[key]")
        return text

    def mask_bytes(self, data: bytes) -> bytes:
        """The same for what came over the wire."""
        for value in sorted(self._used, key=len, reverse=True):
            data = data.replace(value.encode(), b"[key]")
        return data

    def _value(self, name: str) -> str | None:
        return (self.environment.get(name) or _dotenv(self.dotenv).get(name) or "").strip() or None

    def _refuse(self, url: str, name: str, client: Client) -> None:
        host = urlsplit(url).hostname or ""
        if loopback(url) or f"{host}={name}" in self.allowed or host in self.allowed:
            return
        secure = urlsplit(url).scheme == "https"
        shell = urlsplit(self.environment.get(client.url_env, "")).hostname
        if (secure and OWN.get(host) == name) or (shell == host and name == client.key_env):
            return
        raise UserError(
            f"the config sends the variable {name} to {host}, which is not its provider's own host"
            f"{'' if secure else ' over https'}. Where that is meant: --allow-host {host}"
        )


def user_hosts(environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """The hosts that the user allows in every project: lines of ~/.config/harness/allowed-hosts, as --allow-host takes them."""
    home = environment.get("XDG_CONFIG_HOME") or os.path.join(environment.get("HOME", ""), ".config")
    try:
        lines = (Path(home) / "harness" / "allowed-hosts").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return ()
    return tuple(host for line in lines if (host := line.partition("#")[0].strip()))


def loopback(url: str) -> bool:
    """Whether an address is this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _dotenv(path: Path) -> dict[str, str]:
    """The lines NAME=value of a `.env`; quotes around a value are not part of it."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return {}
    found = [match for line in lines if (match := _LINE.match(line.strip()))]
    return {match["name"]: _unquoted(match["value"]) for match in found}


def _unquoted(value: str) -> str:
    quoted = len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if quoted else value.partition(" #")[0].strip()
