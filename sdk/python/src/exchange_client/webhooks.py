"""Verifies signed webhooks. The body is the received bytes, before any JSON parser."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
import time
import uuid
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from .errors import WebhookError
from .exact import read_json

SIGNATURES_MAX = 16
SECRETS_MAX = 10
KEY_BYTES_MIN = 16

Headers = Mapping[str, Any]
Secret = Union[str, Sequence[str]]
#: The values of each header, by its name in small letters. Headers that no signature needs may be repeated.
_Names = Dict[str, List[Any]]


class WebhookEvent(NamedTuple):
    """A verified webhook."""

    #: The same on every attempt. Store it, and handle each id once.
    id: str
    #: Unix seconds of this attempt.
    sent_at: int
    #: 1 for the first. No signature covers it.
    attempt: Optional[int]
    event_type: str
    session_id: str
    #: `details` of the body; amounts are text.
    details: Dict[str, Any]
    #: Sent by `webhook_endpoints.test`; it is not about an order.
    is_test: bool
    #: False if only `documented` was verified: then only id, sent_at, event_type and the order id are proven.
    is_body_proven: bool


class _Proof(NamedTuple):
    id: str
    timestamp: str


def verify_webhook(
    body: Union[bytes, str],
    headers: Headers,
    secret: Secret,
    *,
    scheme: str = "standard",
    tolerance_seconds: float = 300,
    now: Optional[float] = None,
) -> WebhookEvent:
    """Returns the webhook if its signature is valid and its timestamp is recent.

    Raises a WebhookError with the reason otherwise, and a TypeError for invalid arguments. `secret`
    is the endpoint's secret; during a rotation, a list of all valid ones. `scheme` is `standard`,
    which covers every byte, `documented`, which covers id, timestamp, event type and order id, or
    `both`. There is no fallback from one to the other.
    """
    if scheme not in ("standard", "documented", "both"):
        raise TypeError("scheme must be standard, documented or both.")
    if not tolerance_seconds >= 0:
        raise TypeError("tolerance_seconds must be 0 or more.")
    keys = _read_secrets(secret)
    if not isinstance(body, (bytes, bytearray, str)):
        raise WebhookError("body_not_raw", "Pass the received body as bytes or text, before any JSON parser reads it.")
    content = body.encode("utf-8") if isinstance(body, str) else bytes(body)
    names: _Names = {}
    for name, value in headers.items():
        names.setdefault(str(name).lower(), []).append(value)
    proofs = []
    if scheme != "documented":
        proofs.append(_prove_standard(names, content, keys))
    if scheme != "standard":
        proofs.append(_prove_documented(names, content, keys))
    proof = proofs[0]
    if proofs[-1] != proof:
        raise _mismatch("x-webhook-signature")
    _require_fresh(proof.timestamp, tolerance_seconds, time.time() if now is None else now)
    payload = _read_payload(content)
    attempt = names.get("x-webhook-attempt", [None])[-1]
    return WebhookEvent(
        id=proof.id,
        sent_at=int(proof.timestamp),
        attempt=int(attempt) if isinstance(attempt, str) and re.match(r"\d{1,6}\Z", attempt) else None,
        event_type=payload["eventType"],
        session_id=payload["sessionId"],
        details=payload["details"],
        is_test=payload["details"]["orderId"] == 0,
        is_body_proven=scheme != "documented",
    )


def sign_for_test(
    body: str, secret: str, *, id: Optional[str] = None, sent_at: Optional[float] = None
) -> Dict[str, str]:
    """Returns the headers that the service would send with this body, for the tests of your receiver."""
    documented, standard = _read_secrets(secret)[0]
    payload = _read_payload(body.encode("utf-8"))
    name = id or str(uuid.uuid4())
    timestamp = str(int(time.time() if sent_at is None else sent_at))
    return {
        "content-type": "application/json",
        "x-webhook-id": name,
        "x-webhook-timestamp": timestamp,
        "x-webhook-signature": _documented(documented, name, timestamp, payload),
        "x-webhook-attempt": "1",
        "webhook-id": name,
        "webhook-timestamp": timestamp,
        "webhook-signature": _standard(standard, name, timestamp, body.encode("utf-8")),
    }


def _prove_standard(names: _Names, body: bytes, keys: List[Tuple[bytes, bytes]]) -> _Proof:
    proof = _read_proof(names, "webhook-")
    received = _require(names, "webhook-signature").split(" ")[:SIGNATURES_MAX]
    expected = [_standard(standard, proof.id, proof.timestamp, body) for _, standard in keys]
    if not _has_any(expected, received):
        raise _mismatch("webhook-signature")
    return proof


def _prove_documented(names: _Names, body: bytes, keys: List[Tuple[bytes, bytes]]) -> _Proof:
    proof = _read_proof(names, "x-webhook-")
    received = [_require(names, "x-webhook-signature").lower()]
    payload = _read_payload(body)
    expected = [_documented(key, proof.id, proof.timestamp, payload) for key, _ in keys]
    if not _has_any(expected, received):
        raise _mismatch("x-webhook-signature")
    return proof


def _standard(key: bytes, id: str, timestamp: str, body: bytes) -> str:
    digest = hmac.new(key, f"{id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(digest).decode()}"


def _documented(key: bytes, id: str, timestamp: str, payload: Mapping[str, Any]) -> str:
    text = f"{id}.{timestamp}.{payload['eventType']}.{payload['details']['orderId']}"
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def _has_any(expected: Sequence[str], received: Sequence[str]) -> bool:
    """Compares every pair in constant time, so the duration reveals nothing about a forgery."""
    found = False
    for right in expected:
        for candidate in received:
            found |= hmac.compare_digest(right.encode(), candidate.encode("utf-8", "replace"))
    return found


def _read_secrets(secret: Secret) -> List[Tuple[bytes, bytes]]:
    """Returns the keys of the documented and of the standard signature, for each secret."""
    secrets = [secret] if isinstance(secret, str) else list(secret or ())
    if not 1 <= len(secrets) <= SECRETS_MAX:
        raise TypeError(f"Pass the endpoint's webhook secret, or a list of 1 to {SECRETS_MAX}.")
    return [(text.encode("utf-8"), _decode(text)) for text in secrets]


def _decode(text: str) -> bytes:
    match = re.match(r"whsec_([A-Za-z0-9+/]+={0,2})\Z", text)
    try:
        key = base64.b64decode(match.group(1), validate=True) if match else b""
    except binascii.Error:
        key = b""
    if match is None or len(key) < KEY_BYTES_MIN or base64.b64encode(key).decode() != match.group(1):
        raise TypeError("A webhook secret must be whsec_ and base64, without white space around it.")
    return key


def _read_proof(names: _Names, prefix: str) -> _Proof:
    id, timestamp = _require(names, f"{prefix}id"), _require(names, f"{prefix}timestamp")
    # Without a period in the id, the signed text is unambiguous.
    if re.match(r"[A-Za-z0-9_-]{1,128}\Z", id) is None:
        raise _malformed(f"{prefix}id")
    if re.match(r"[0-9]{1,12}\Z", timestamp) is None:
        raise _malformed(f"{prefix}timestamp")
    return _Proof(id, timestamp)


def _require(names: _Names, name: str) -> str:
    values = names.get(name, [None])
    if len(values) > 1:
        raise WebhookError("malformed_header", f"The header {name} is repeated. Pass it once.")
    value = values[0]
    if value is None or value == "":
        raise WebhookError("missing_header", f"The header {name} is missing. Pass all headers of the request.")
    if not isinstance(value, str):
        raise _malformed(name)
    return value


def _require_fresh(timestamp: str, tolerance: float, now: float) -> None:
    age = int(now) - int(timestamp)
    if age > tolerance:
        raise WebhookError(
            "timestamp_too_old",
            f"The webhook was signed {age} seconds ago. At most {tolerance} are accepted. Check this server's clock.",
        )
    if -age > tolerance:
        raise WebhookError(
            "timestamp_in_future",
            f"The webhook's timestamp is {-age} seconds in the future. Check this server's clock.",
        )


def _read_payload(body: bytes) -> Dict[str, Any]:
    try:
        payload = read_json(body.decode("utf-8"))
        order_id = payload["details"]["orderId"]
        is_webhook = (
            re.match(r"[A-Za-z]{1,64}\Z", payload["eventType"]) is not None
            and isinstance(payload["sessionId"], str)
            and isinstance(order_id, int)
            and order_id >= 0
        )
    except (ValueError, KeyError, TypeError):
        is_webhook = False
    if not is_webhook:
        raise WebhookError("malformed_body", "The body is not a webhook from Exchange. Pass it as it was received.")
    return payload


def _malformed(name: str) -> WebhookError:
    return WebhookError("malformed_header", f"The header {name} is malformed. Pass it as it was received.")


def _mismatch(name: str) -> WebhookError:
    return WebhookError(
        "signature_mismatch",
        f"The signature in {name} matches no secret that you passed. Pass this endpoint's secret, and the body "
        "before any parser reads it. Otherwise the webhook is a forgery.",
    )
