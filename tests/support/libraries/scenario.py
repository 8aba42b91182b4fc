"""Uses the library as a merchant's server does, and prints what it saw as JSON."""

import json
import sys
import time
from email.message import Message

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

end = next(exchange.events.pages({"after": "now"}))
events = list(exchange.events.list())

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
cut_order = flaky.orders.cancel(8)
held_order = flaky.orders.cancel(9)
used_key = fault_of(lambda: flaky.orders.cancel(10))
slow = client(given["flakyUrl"], timeout_seconds=0.5, max_retries=0)
began = time.monotonic()
slow_order = fault_of(lambda: slow.orders.cancel(11))
slow_seconds = time.monotonic() - began
no_key = fault_of(lambda: flaky.orders.cancel(12, CallOptions(idempotency_key="")))
no_time = fault_of(lambda: flaky.orders.cancel(12, CallOptions(timeout_seconds=0)))
away = client("http://127.0.0.1:1", max_retries=0)

body, headers, secret = given["webhook"]["body"], given["webhook"]["headers"], given["webhook"]["secret"]
event = verify_webhook(body, headers, secret, scheme="both")
forged = body.replace('"totalPrice":100', '"totalPrice":1')

# A server's headers, some of which came twice.
received = Message()
for name, value in [*headers.items(), ("Via", "1.1 a"), ("via", "1.1 b")]:
    received[name] = value
repeated = verify_webhook(body, received, secret)
received["Webhook-Id"] = headers["webhook-id"]
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
            "cut": cut_order["orderId"],
            "held": held_order["orderId"],
            "slow": slow_seconds < 2,
            "end": end.data == [] and end.next_cursor == str(events[-1]["sequence"]),
            "repeated": repeated.event_type,
            "faults": {
                "unknown": fault_of(lambda: exchange.orders.read(1)),
                "key": fault_of(lambda: client(api_key="exk_wrong").countries.list()),
                "used": used_key,
                "slow": slow_order,
                "noKey": no_key,
                "noTime": no_time,
                "away": fault_of(lambda: away.countries.list()),
                "float": fault_of(lambda: exchange.orders.refund(1, {"amount": 1.5})),
                "address": fault_of(lambda: client("http://exchange.example")),
                "forged": fault_of(lambda: verify_webhook(forged, headers, secret)),
                "old": fault_of(lambda: verify_webhook(body, headers, secret, now=event.sent_at + 301)),
                "future": fault_of(lambda: verify_webhook(body, headers, secret, now=event.sent_at - 301)),
                "unsigned": fault_of(lambda: verify_webhook(body, {}, secret)),
                "repeated": fault_of(lambda: verify_webhook(body, received, secret)),
                "deep": fault_of(lambda: verify_webhook("[" * 200_000, headers, secret, scheme="documented")),
                "otherSecret": fault_of(lambda: verify_webhook(body, headers, given["otherSecret"])),
                "secret": fault_of(lambda: verify_webhook(body, headers, secret + " ")),
            },
            "event": [event.event_type, event.details["orderId"], event.details["totalPrice"], event.is_body_proven],
            "tested": tested.event_type,
        }
    )
)
