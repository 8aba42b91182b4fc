"""The client: one method for each endpoint that a merchant may call."""

from __future__ import annotations

import re
from typing import Callable, Optional
from urllib.parse import urlsplit

from .calls import Caller, CallOptions, Settings, World
from .generated.resources import Resources

__all__ = ["CallOptions", "Exchange"]

_LOOPBACK = re.compile(r"(localhost|::1|127(\.\d+){3})\Z")


class Exchange(Resources):
    """A client of the service.

    `base_url` is the address of the service, such as `https://exchange.example`, with or without
    `/v1`. A call is tried again after a failure that may pass, `max_retries` times. Every attempt
    of a POST carries the same Idempotency-Key, so it runs once.
    """

    def __init__(
        self,
        *,
        base_url: str,
        api_key: str,
        client_id: str,
        timeout_seconds: float = 15.0,
        max_retries: int = 2,
        allow_plain_http: bool = False,
        world: Optional[World] = None,
        on_attempt: Optional[Callable[[str, int, Optional[int]], None]] = None,
    ) -> None:
        settings = Settings(
            base_url=_read_base_url(base_url, allow_plain_http),
            api_key=_read_credential("api_key", api_key),
            client_id=_read_credential("client_id", client_id),
            timeout_seconds=timeout_seconds,
            max_retries=max_retries,
            on_attempt=on_attempt or (lambda operation, attempt, status: None),
        )
        super().__init__(Caller(settings, world or World()))


def _read_credential(name: str, value: object) -> str:
    if not isinstance(value, str) or value == "":
        raise TypeError(f"{name} is missing: pass the one from your onboarding.")
    if re.match(r"[\x21-\x7e]+\Z", value) is None:
        raise TypeError(f"{name} contains white space or other characters that no key has: trim it.")
    return value


def _read_base_url(base_url: str, allow_plain_http: bool) -> str:
    url = urlsplit(base_url) if isinstance(base_url, str) else None
    if url is None or url.scheme not in ("http", "https") or not url.hostname:
        raise TypeError("base_url must be an address such as https://exchange.example")
    if url.username or url.password or url.query or url.fragment:
        raise TypeError("base_url must have no user, password, query or fragment.")
    if url.scheme == "http" and not _LOOPBACK.match(url.hostname) and not allow_plain_http:
        raise TypeError(
            "base_url is plain HTTP, which sends the API key unencrypted: use https, or set allow_plain_http."
        )
    path = url.path.rstrip("/")
    return f"{url.scheme}://{url.netloc}{path if path.endswith('/v1') else path + '/v1'}"
