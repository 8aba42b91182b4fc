"""Sends a request until it succeeds, fails permanently or has no attempts left."""

from __future__ import annotations

import random
import re
import time
import uuid
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Union
from urllib.parse import quote, urlencode

from .errors import ExchangeError
from .exact import read_json, write_json
from .transport import Answer, Failure, send

FIRST_WAIT_SECONDS = 0.25
WAIT_SECONDS_MAX = 8.0
#: A longer `Retry-After` ends the retries.
RETRY_AFTER_SECONDS_MAX = 60.0
RETRIES_MAX = 10
#: The longest timeout of the libraries in every language.
TIMEOUT_SECONDS_MAX = 2_147_483
PASSING_STATUSES = frozenset({429, 500, 502, 503, 504})
_KEY = re.compile(r"[\x20-\x7e]{1,255}\Z")


class Operation(NamedTuple):
    """An endpoint. `input` is `body`, `query` or empty; `cursor` is the query member of its pages."""

    id: str
    method: str
    path: str
    input: str = ""
    cursor: str = ""
    is_unwrapped: bool = False


@dataclass(frozen=True)
class CallOptions:
    """Options of one call, which override the client's.

    `idempotency_key` has 1 to 255 printable ASCII characters and is random by default. Within 24
    hours, the same key with the same body runs once. Only a POST sends it.
    """

    idempotency_key: Optional[str] = None
    timeout_seconds: Optional[float] = None
    max_retries: Optional[int] = None


@dataclass(frozen=True)
class Settings:
    """Validated options of a client."""

    base_url: str
    api_key: str
    client_id: str
    timeout_seconds: float
    max_retries: int
    on_attempt: Callable[[str, int, Optional[int]], None]


@dataclass(frozen=True)
class World:
    """Sources of time and randomness. Tests replace them."""

    random: Callable[[], float] = random.random
    sleep: Callable[[float], None] = time.sleep
    random_key: Callable[[], str] = lambda: str(uuid.uuid4())


class Page(NamedTuple):
    """One page of a list. `next_cursor` is None at the end."""

    data: List[Any]
    next_cursor: Optional[str]


class Caller:
    """Makes the calls of one client."""

    def __init__(self, settings: Settings, world: World) -> None:
        self._settings = settings
        self._world = world

    def call(
        self,
        operation: Operation,
        params: Sequence[Union[str, int]] = (),
        data: Optional[Mapping[str, Any]] = None,
        options: Optional[CallOptions] = None,
    ) -> Any:
        """Returns the content of the answer's envelope, or None without a body."""
        body = self._send(operation, params, data, options or CallOptions())
        return body if body is None or operation.is_unwrapped else body["data"]

    def pages(
        self,
        operation: Operation,
        params: Sequence[Union[str, int]] = (),
        data: Optional[Mapping[str, Any]] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[Page]:
        """Yields the pages of a list. No request is sent before you iterate."""
        query: Dict[str, Any] = dict(data or {})
        while True:
            body = self._send(operation, params, query, options or CallOptions())
            page = Page(body["data"], body.get("nextCursor"))
            yield page
            if page.next_cursor is None:
                return
            if page.next_cursor == query.get(operation.cursor):
                raise ExchangeError(
                    f"{operation.method} {operation.path}: nextCursor does not change, so the list would never end",
                    code="UNEXPECTED_ANSWER",
                    operation=operation.id,
                )
            query[operation.cursor] = page.next_cursor

    def items(
        self,
        operation: Operation,
        params: Sequence[Union[str, int]] = (),
        data: Optional[Mapping[str, Any]] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[Any]:
        """Yields the items of a list, and fetches the pages on the way."""
        for page in self.pages(operation, params, data, options):
            yield from page.data

    def _send(
        self,
        operation: Operation,
        params: Sequence[Union[str, int]],
        data: Optional[Mapping[str, Any]],
        options: CallOptions,
    ) -> Any:
        key = self._key(options) if operation.method == "POST" else None
        target = _path(operation, params) + (_query(data) if operation.input == "query" else "")
        body = write_json(data or {}) if operation.input == "body" else None
        retries = self._settings.max_retries if options.max_retries is None else options.max_retries
        if not 0 <= retries <= RETRIES_MAX:
            raise TypeError(f"max_retries must be a whole number from 0 to {RETRIES_MAX}.")
        timeout = self._settings.timeout_seconds if options.timeout_seconds is None else options.timeout_seconds
        if not 0 < timeout <= TIMEOUT_SECONDS_MAX:
            raise TypeError(f"timeout_seconds must be above 0 and at most {TIMEOUT_SECONDS_MAX}.")
        is_unknown = False
        attempt = 0
        while True:
            attempt += 1
            came = send(
                f"{self._settings.base_url}{target}",
                method=operation.method,
                headers=self._headers(key, body),
                body=body,
                timeout_seconds=timeout,
            )
            status = came.status if isinstance(came, Answer) else None
            self._settings.on_attempt(operation.id, attempt, status)
            error = _error_of(came, operation)
            if error is None:
                return read_json(came.text) if isinstance(came, Answer) and came.text else None
            # An earlier attempt without an answer has already deleted it.
            if is_unknown and operation.method == "DELETE" and error.code == "NOT_FOUND":
                return None
            error.attempts = attempt
            error.idempotency_key = key
            # Our own earlier attempt still holds the key and will finish soon.
            is_ours = is_unknown and error.code == "IDEMPOTENCY_CONFLICT"
            requested = error.retry_after_seconds or 0.0
            is_last = attempt > retries or requested > RETRY_AFTER_SECONDS_MAX
            if is_last or not (error.retryable or is_ours):
                raise error
            is_unknown = is_unknown or error.status is None or error.status >= 500
            self._world.sleep(max(requested, _backoff(attempt, self._world.random())))

    def _key(self, options: CallOptions) -> str:
        # An empty key of the caller is a fault. A random one in its place would let a repeated call run twice.
        key = self._world.random_key() if options.idempotency_key is None else options.idempotency_key
        if _KEY.match(key) is None:
            raise TypeError("idempotency_key must be 1 to 255 printable ASCII characters.")
        return key

    def _headers(self, key: Optional[str], body: Optional[str]) -> Dict[str, str]:
        headers = {
            "accept": "application/json",
            "user-agent": "exchange-python/0.1.0",
            "x-api-key": self._settings.api_key,
            "x-client-id": self._settings.client_id,
        }
        if body is not None:
            headers["content-type"] = "application/json"
        if key is not None:
            headers["idempotency-key"] = key
        return headers


def _backoff(attempt: int, chance: float) -> float:
    """Exponential back-off. Jitter takes between half and all of it; `chance` is in [0, 1)."""
    full = min(FIRST_WAIT_SECONDS * 2 ** (attempt - 1), WAIT_SECONDS_MAX)
    return full / 2 + full / 2 * chance


def _path(operation: Operation, params: Sequence[Union[str, int]]) -> str:
    values = iter(params)

    def fill(match: "re.Match[str]") -> str:
        value = str(next(values))
        # "." and ".." would address another endpoint.
        if value in ("", ".", ".."):
            raise TypeError(
                f"{operation.id}: {match.group(1)} must be a number or a text. "
                'An address cannot hold an empty one, "." or "..".'
            )
        return quote(value, safe="")

    return re.sub(r"\{(\w+)\}", fill, operation.path)


def _query(data: Optional[Mapping[str, Any]]) -> str:
    pairs = []
    for name, value in (data or {}).items():
        if value is None:
            continue
        if isinstance(value, (dict, list, tuple, float)):
            raise TypeError(f"{name} must be a text, a whole number or a boolean.")
        pairs.append((name, str(value).lower() if isinstance(value, bool) else str(value)))
    return f"?{urlencode(pairs)}" if pairs else ""


def _error_of(came: Union[Answer, Failure], operation: Operation) -> Optional[ExchangeError]:
    where = f"{operation.method} {operation.path}"
    if isinstance(came, Failure):
        return ExchangeError(
            f"{where}: {came.code}: {came.why}", code=came.code, operation=operation.id, retryable=True
        )
    body = _object(came.text)
    member = "success" if operation.is_unwrapped else "data"
    if came.status == 204 or (200 <= came.status < 300 and body is not None and member in body):
        return None
    is_ours = came.status >= 400 and body is not None and isinstance(body.get("code"), str)
    code = body["code"] if is_ours and body is not None else "UNEXPECTED_ANSWER"
    said = (body or {}).get("message") if is_ours else "the answer is not of this service: check base_url"
    # The first request with this key still runs.
    is_held = code == "IDEMPOTENCY_CONFLICT" and came.retry_after_seconds is not None
    request_id = (body or {}).get("requestId") or came.request_id
    named = f" (request {request_id})" if request_id else ""
    return ExchangeError(
        f"{where}: {came.status} {code}: {str(said or code)[:500]}{named}",
        code=code,
        operation=operation.id,
        status=came.status,
        request_id=request_id,
        details=(body or {}).get("details") or (),
        retryable=came.status in PASSING_STATUSES or is_held,
        retry_after_seconds=came.retry_after_seconds,
        body=body if is_ours else None,
    )


def _object(text: str) -> Optional[Dict[str, Any]]:
    try:
        value = read_json(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
