"""The Exchange API and its webhooks for a merchant's server. It needs no other package."""

from .calls import Page
from .client import CallOptions, Exchange
from .errors import ExchangeError, WebhookError
from .webhooks import WebhookEvent, sign_for_test, verify_webhook

__all__ = [
    "CallOptions",
    "Exchange",
    "ExchangeError",
    "Page",
    "WebhookError",
    "WebhookEvent",
    "sign_for_test",
    "verify_webhook",
]
