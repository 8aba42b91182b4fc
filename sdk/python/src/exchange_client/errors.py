"""The errors of the library. Compare codes and reasons: messages may change."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence


class ExchangeError(Exception):
    """A failed call. It never contains credentials, addresses or anything you sent.

    `code` is a code of the service (`types.ErrorCode`), or `TIMEOUT`, `CONNECTION_FAILED` or
    `UNEXPECTED_ANSWER`, where no answer of the service came.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str,
        operation: str,
        status: Optional[int] = None,
        request_id: Optional[str] = None,
        details: Sequence[Mapping[str, str]] = (),
        retryable: bool = False,
        retry_after_seconds: Optional[float] = None,
        attempts: int = 1,
        idempotency_key: Optional[str] = None,
        body: Any = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        #: The operationId of the endpoint.
        self.operation = operation
        #: HTTP status; None when no answer came.
        self.status = status
        #: Identifies this request in the service's logs.
        self.request_id = request_id
        self.details = details
        #: Whether the same call may succeed later. Repeat a POST with the same `idempotency_key`.
        self.retryable = retryable
        self.retry_after_seconds = retry_after_seconds
        self.attempts = attempts
        #: The key that every attempt of a POST carried.
        self.idempotency_key = idempotency_key
        #: The whole error body, for members of a single code such as `quote` of `QUOTE_EXPIRED`.
        self.body = body


class WebhookError(Exception):
    """A webhook that cannot be trusted. Answer 400 and do nothing else.

    `reason` is `body_not_raw`, `missing_header`, `malformed_header`, `signature_mismatch`,
    `timestamp_too_old`, `timestamp_in_future` or `malformed_body`.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
