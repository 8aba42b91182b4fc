"""One HTTP request over a connection of its own. Redirects are not followed."""

from __future__ import annotations

import http.client
import io
import re
import socket
import ssl
import time
from email.utils import parsedate_to_datetime
from typing import Any, Mapping, NamedTuple, Optional, Union
from urllib.parse import urlsplit

#: Twenty times the size of a page of a hundred orders.
ANSWER_BYTES_MAX = 16 * 1024 * 1024


class Answer(NamedTuple):
    """An answer of the service, or of a proxy before it."""

    status: int
    text: str
    request_id: Optional[str]
    retry_after_seconds: Optional[float]


class Failure(NamedTuple):
    """No answer came. `code` is TIMEOUT, CONNECTION_FAILED or UNEXPECTED_ANSWER."""

    code: str
    why: str


def send(
    address: str,
    *,
    method: str,
    headers: Mapping[str, str],
    body: Optional[str],
    timeout_seconds: float,
) -> Union[Answer, Failure]:
    """Sends the request once. The timeout holds for each wait for the other side, and for the whole answer."""
    url = urlsplit(address)
    deadline = time.monotonic() + timeout_seconds
    if url.scheme == "https":
        context = ssl.create_default_context()
        connection: http.client.HTTPConnection = http.client.HTTPSConnection(
            url.netloc, timeout=timeout_seconds, context=context
        )
    else:
        connection = http.client.HTTPConnection(url.netloc, timeout=timeout_seconds)
    connection.response_class = lambda sock, **options: _Response(sock, deadline, **options)  # type: ignore[assignment]
    try:
        target = url.path + (f"?{url.query}" if url.query else "")
        payload = None if body is None else body.encode("utf-8")
        connection.request(method, target, body=payload, headers=dict(headers))
        response = connection.getresponse()
        return Answer(
            status=response.status,
            text=_read(response).decode("utf-8"),
            request_id=response.getheader("x-request-id"),
            retry_after_seconds=read_retry_after(response.getheader("retry-after"), time.time()),
        )
    except (TimeoutError, socket.timeout):
        return Failure("TIMEOUT", f"no answer within {timeout_seconds} s")
    except (OSError, http.client.HTTPException, UnicodeDecodeError) as error:
        return Failure("CONNECTION_FAILED", type(error).__name__)
    finally:
        connection.close()


class _Response(http.client.HTTPResponse):
    """An answer whose lines and body must all arrive before the deadline."""

    def __init__(self, sock: socket.socket, deadline: float, **options: Any) -> None:
        super().__init__(sock, **options)
        unlimited = self.fp
        self.fp = io.BufferedReader(_Until(sock, deadline))
        unlimited.close()


class _Until(io.RawIOBase):
    """The bytes of a socket up to a deadline. The socket's own timeout begins again with each byte."""

    def __init__(self, sock: socket.socket, deadline: float) -> None:
        self._socket = sock
        self._bytes = sock.makefile("rb", buffering=0)
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Optional[int]:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._socket.settimeout(left)
        return self._bytes.readinto(buffer)

    def close(self) -> None:
        self._bytes.close()
        super().close()


def _read(response: http.client.HTTPResponse) -> bytes:
    """Returns the body. A body that is cut or larger than any answer is an error."""
    chunks = []
    length = 0
    # Some versions of Python count it down while the body is read.
    expected = response.length
    while expected is None or length < expected:
        chunk = response.read1(65536)
        if not chunk and expected is not None:
            raise http.client.IncompleteRead(b"".join(chunks), expected - length)
        if not chunk:
            break
        length += len(chunk)
        if length > ANSWER_BYTES_MAX:
            raise http.client.HTTPException("the answer is too large")
        chunks.append(chunk)
    return b"".join(chunks)


def read_retry_after(value: Optional[str], now: float) -> Optional[float]:
    """Returns the seconds of a `Retry-After` header: seconds or a date (RFC 9110, 10.2.3)."""
    text = (value or "").strip()
    if re.match(r"\d{1,9}\Z", text):
        return float(text)
    if re.match(r"[A-Z][a-z]{2},", text) is None:
        return None
    try:
        return max(parsedate_to_datetime(text).timestamp() - now, 0.0)
    except (TypeError, ValueError):
        return None
