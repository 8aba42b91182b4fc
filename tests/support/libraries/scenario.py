"""Uses the library as a merchant's server does, and prints what it saw as JSON."""

import json
import sys

from exchange_client import CallOptions, Exchange, ExchangeError, WebhookError, sign_for_test, verify_webhook
from exchange_client.calls import World

given = json.load(sys.stdin)


def client(base_url=given["url"], api_key=given["apiKey"], **options):
    return Exchange(base_url=base_url, api_key=api_key, client_id=given["clientId"], **options)


def fault_of(run):
    try:
        run()
    except ExchangeError as error:
        return [error.code, error.status, error.request_id is not None]
    except WebhookError as error:
        return error.reason
    except TypeError as error:
        return str(error)
    return None


exchange = client()
lock = {"operationType": "B", "baseCurrency": "cad", "baseAmount": given["amount"]}
token = exchange.public_tokens.create(
    {"sessionId": given["sessionId"], "lock": lock, "metadata": {"amount": "007"}}
)
session = exchange.sessions.read(given["sessionId"])
order = exchange.orders.read(given["orderId"])
listed = [each["orderId"] for each in exchange.orders.list({"limit": 1})]

same_key = CallOptions(idempotency_key=given["key"])
made = [exchange.webhook_endpoints.create({"url": given["webhookUrl"]}, same_key)["id"] for _ in range(2)]
removed = exchange.webhook_endpoints.remove(made[0])

waits = []
attempts = []
flaky = client(
    given["flakyUrl"],
    on_attempt=lambda operation, attempt, status: attempts.append([attempt, status]),
    world=World(sleep=waits.append),
)
flaky_order = flaky.orders.cancel(7)
away = client("http://127.0.0.1:1", max_retries=0)

body, headers, secret = given["webhook"]["body"], given["webhook"]["headers"], given["webhook"]["secret"]
event = verify_webhook(body, headers, secret, scheme="both")
forged = body.replace('"totalPrice":100', '"totalPrice":1')
tested = verify_webhook(body, sign_for_test(body, secret), [secret], scheme="both")

print(
    json.dumps(
        {
            "hasToken": len(token["accessToken"]) > 20,
            "lock": session["lock"]["baseAmount"],
            "metadata": session["metadata"],
            "price": order["totalPrice"],
            "sent": order["exchangeDetails"]["amountToSend"],
            "listed": listed,
            "made": len(set(made)),
            "removed": removed,
            "flaky": flaky_order["orderId"],
            "attempts": attempts,
            "waits": len(waits),
            "faults": {
                "unknown": fault_of(lambda: exchange.orders.read(1)),
                "key": fault_of(lambda: client(api_key="exk_wrong").countries.list()),
                "away": fault_of(lambda: away.countries.list()),
                "float": fault_of(lambda: exchange.orders.refund(1, {"amount": 1.5})),
                "address": fault_of(lambda: client("http://exchange.example")),
                "forged": fault_of(lambda: verify_webhook(forged, headers, secret)),
                "old": fault_of(lambda: verify_webhook(body, headers, secret, now=event.sent_at + 301)),
                "future": fault_of(lambda: verify_webhook(body, headers, secret, now=event.sent_at - 301)),
                "unsigned": fault_of(lambda: verify_webhook(body, {}, secret)),
                "otherSecret": fault_of(lambda: verify_webhook(body, headers, given["otherSecret"])),
                "secret": fault_of(lambda: verify_webhook(body, headers, secret + " ")),
            },
            "event": [event.event_type, event.details["orderId"], event.details["totalPrice"], event.is_body_proven],
            "tested": tested.event_type,
        }
    )
)
