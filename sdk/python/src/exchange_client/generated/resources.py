"""Written by `npm run generate -w @exchange/node` from the contract. Do not edit."""

from __future__ import annotations

from typing import Iterator, List, Optional, Union

from ..calls import Caller, CallOptions, Page
from . import operations, types


class PublicTokensResource:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def create(
        self,
        request: types.CreateTokenRequest,
        options: Optional[CallOptions] = None,
    ) -> types.PublicToken:
        """Creates the public access token of one session, for the browser SDK. While the
        session has no order, another call for it returns a new token, and the older one
        stops working.

        `POST /public_token/create`
        """
        return self._caller.call(operations.CREATE_PUBLIC_TOKEN, [], request, options)


class PaymentMethodsResource:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        query: types.ListPaymentMethodsQuery,
        options: Optional[CallOptions] = None,
    ) -> List[types.PaymentMethodItem]:
        """Payment methods of an operation type in a country; with their delivery methods on
        request.

        `GET /payment-methods`
        """
        return self._caller.call(operations.LIST_PAYMENT_METHODS, [], query, options)


class CurrenciesResource:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        query: types.ListCurrenciesQuery,
        options: Optional[CallOptions] = None,
    ) -> types.ExchangeCurrencies:
        """Currencies that an operation type can use in a country.

        `GET /exchange/currencies`
        """
        return self._caller.call(operations.LIST_CURRENCIES, [], query, options)


class QuotesResource:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def create(
        self,
        request: types.QuoteRequest,
        options: Optional[CallOptions] = None,
    ) -> types.QuoteData:
        """An indicative quote, valid for 30 seconds.

        `POST /exchange/quotes`
        """
        return self._caller.call(operations.CREATE_QUOTE, [], request, options)


class OrdersResource:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def read(
        self,
        order_id: int,
        options: Optional[CallOptions] = None,
    ) -> types.OrderData:
        """The webhook's fields, the customer, the refunds, your metadata and the full timeline
        of the order. Read it again before you release goods.

        `GET /orders/{orderId}`
        """
        return self._caller.call(operations.READ_ORDER, [order_id], None, options)

    def list(
        self,
        query: Optional[types.ListOrdersQuery] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[types.OrderData]:
        """Your orders, newest first, each as `GET /orders/{orderId}` returns it. Follow
        `nextCursor` until it is null. New orders do not disturb the pages.

        `GET /orders`
        """
        return self._caller.items(operations.LIST_ORDERS, [], query, options)

    def pages(
        self,
        query: Optional[types.ListOrdersQuery] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[Page]:
        """The pages of `list`, each with the cursor of the next.
        """
        return self._caller.pages(operations.LIST_ORDERS, [], query, options)

    def cancel(
        self,
        order_id: int,
        options: Optional[CallOptions] = None,
    ) -> types.OrderData:
        """Ends an order that is not paid yet, with the reason `merchant_cancelled`. An order
        in any other status is refused with `INVALID_ORDER_STATE`.

        `POST /orders/{orderId}/cancel`
        """
        return self._caller.call(operations.CANCEL_ORDER_BY_MERCHANT, [order_id], None, options)

    def revoke_customer_url(
        self,
        order_id: int,
        options: Optional[CallOptions] = None,
    ) -> types.OrderData:
        """The page at `customerUrl` stops working at once, and `customerUrl` becomes null. The
        order itself goes on, and so does the session's public token. Repeating the call has
        no further effect.

        `POST /orders/{orderId}/revoke_customer_url`
        """
        return self._caller.call(operations.REVOKE_CUSTOMER_URL, [order_id], None, options)

    def refund(
        self,
        order_id: int,
        request: Optional[types.RefundRequest] = None,
        options: Optional[CallOptions] = None,
    ) -> types.OrderData:
        """Returns the received money to its sender: all of it, or `amount` of it. This works
        while the money is held and not exchanged; later, and while the order is held for
        `compliance`, an operator decides. Coins go to the refund address of the order; this
        request may set one where the order has none.

        `POST /orders/{orderId}/refunds`
        """
        return self._caller.call(operations.REFUND_ORDER, [order_id], request, options)


class LimitsResource:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def read(
        self,
        query: types.ReadExchangeLimitsQuery,
        options: Optional[CallOptions] = None,
    ) -> types.ExchangeLimits:
        """The minimum and maximum amount of an exchange, and the rule that sets each: the same
        figures as in quotes and errors. Name each currency by its id, or by its code or
        reference. `ways` lists every payment and delivery method that fits your query;
        `min` and `max` beside it are the widest of them.

        `GET /exchange/limits`
        """
        return self._caller.call(operations.READ_EXCHANGE_LIMITS, [], query, options)


class CountriesResource:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        options: Optional[CallOptions] = None,
    ) -> List[types.CountryItem]:
        """The supported countries, with the operations that customers there can use.

        `GET /exchange/countries`
        """
        return self._caller.call(operations.LIST_COUNTRIES, [], None, options)


class SessionsResource:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def read(
        self,
        session_id: types.SessionId,
        options: Optional[CallOptions] = None,
    ) -> types.SessionData:
        """The terms that you locked when you created its token, and its order, or null before
        one.

        `GET /sessions/{sessionId}`
        """
        return self._caller.call(operations.READ_SESSION, [session_id], None, options)

    def revoke_token(
        self,
        session_id: types.SessionId,
        options: Optional[CallOptions] = None,
    ) -> types.SessionData:
        """The session's public token stops working at once, and so does the page of its order
        (`customerUrl`). The order itself goes on. While the session has no order, you may
        create a new token for it. Repeating the call has no further effect.

        `POST /sessions/{sessionId}/revoke_token`
        """
        return self._caller.call(operations.REVOKE_SESSION_TOKEN, [session_id], None, options)


class WalletsResource:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def save(
        self,
        request: types.WalletRequest,
        options: Optional[CallOptions] = None,
    ) -> types.Wallet:
        """Saves an address of the currency. The same address on the same network returns the
        same wallet with the latest names. An address that exists on several networks needs
        `networkCode`.

        `POST /wallets`
        """
        return self._caller.call(operations.SAVE_WALLET, [], request, options)

    def list(
        self,
        query: Optional[types.ListWalletsQuery] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[types.Wallet]:
        """The wallets you saved, newest first.

        `GET /wallets`
        """
        return self._caller.items(operations.LIST_WALLETS, [], query, options)

    def pages(
        self,
        query: Optional[types.ListWalletsQuery] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[Page]:
        """The pages of `list`, each with the cursor of the next.
        """
        return self._caller.pages(operations.LIST_WALLETS, [], query, options)

    def look_up(
        self,
        query: types.LookUpWalletQuery,
        options: Optional[CallOptions] = None,
    ) -> types.WalletLookupResult:
        """Whether an address belongs to a coin, and on which networks; with the wallet you
        saved for it, or null.

        `GET /wallets/lookup`
        """
        return self._caller.call(operations.LOOK_UP_WALLET, [], query, options)

    def read(
        self,
        wallet_id: int,
        options: Optional[CallOptions] = None,
    ) -> types.Wallet:
        """One wallet you saved.

        `GET /wallets/{walletId}`
        """
        return self._caller.call(operations.READ_WALLET, [wallet_id], None, options)

    def remove(
        self,
        wallet_id: int,
        options: Optional[CallOptions] = None,
    ) -> None:
        """Deletes a wallet you saved. Orders to its address are not changed.

        `DELETE /wallets/{walletId}`
        """
        self._caller.call(operations.REMOVE_WALLET, [wallet_id], None, options)


class EventsResource:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        query: Optional[types.ListEventsQuery] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[types.EventItem]:
        """Every event of your orders by `sequence`, whether or not a webhook was sent. Store
        the `sequence` of the last event you handled and ask for those `after` it: you get
        each event exactly once. `payload` is the webhook's body. `nextCursor` is the next
        `after` while there are more. `after=now` skips the past, and `eventType` selects
        one type.

        `GET /events`
        """
        return self._caller.items(operations.LIST_EVENTS, [], query, options)

    def pages(
        self,
        query: Optional[types.ListEventsQuery] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[Page]:
        """The pages of `list`, each with the cursor of the next.
        """
        return self._caller.pages(operations.LIST_EVENTS, [], query, options)


class SandboxResource:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def advance_clock(
        self,
        request: types.AdvanceClockRequest,
        options: Optional[CallOptions] = None,
    ) -> types.SandboxClock:
        """Moves the business clock of the whole sandbox forward, for every merchant in it:
        payment windows end, quotes expire and webhook retries become due at once. Token
        times and webhook timestamps stay real. Where the operator keeps the clock, as
        staging does by default, the answer is NOT_FOUND. Prod does not have this endpoint.

        In the sandboxes only. `POST /sandbox/clock`
        """
        return self._caller.call(operations.ADVANCE_SANDBOX_CLOCK, [], request, options)

    def pay_deposit(
        self,
        request: types.SandboxDepositRequest,
        options: Optional[CallOptions] = None,
    ) -> types.SandboxDeposit:
        """Sends coins to the deposit address of an order, or a transfer to its bank account.
        Without `amount` and `confirmations` the payment is exact and final. With
        `confirmations` 0 it is in flight; the same call with its `depositId` advances it,
        or drops it. Prod does not have this endpoint.

        In the sandboxes only. `POST /sandbox/deposits`
        """
        return self._caller.call(operations.PAY_SANDBOX_DEPOSIT, [], request, options)

    def advance_order(
        self,
        order_id: int,
        request: types.AdvanceOrderRequest,
        options: Optional[CallOptions] = None,
    ) -> types.OrderData:
        """Simulates customers, banks, chains and operators until the order has reached the
        status, and returns the order. If the order has already moved on, its timeline shows
        the status. A status that the timeline shows after the one of your last call is
        reached already: the order is returned as it is. Otherwise only a legal next status
        is accepted; the error message names them. `expired` moves the clock of the whole
        sandbox, where merchants may. Prod does not have this endpoint.

        In the sandboxes only. `POST /sandbox/orders/{orderId}/advance`
        """
        return self._caller.call(operations.ADVANCE_SANDBOX_ORDER, [order_id], request, options)

    def plant_webhook_fault(
        self,
        request: types.PlantWebhookFaultRequest,
        options: Optional[CallOptions] = None,
    ) -> types.WebhookFault:
        """Makes your next webhooks fail on purpose, so that you can test your receiver. Prod
        does not have this endpoint.

        In the sandboxes only. `POST /sandbox/webhooks/faults`
        """
        return self._caller.call(operations.PLANT_WEBHOOK_FAULT, [], request, options)

    def list_webhook_faults(
        self,
        options: Optional[CallOptions] = None,
    ) -> List[types.WebhookFault]:
        """The faults you planted that will still hit a webhook, oldest first.

        In the sandboxes only. `GET /sandbox/webhooks/faults`
        """
        return self._caller.call(operations.LIST_WEBHOOK_FAULTS, [], None, options)

    def clear_webhook_faults(
        self,
        options: Optional[CallOptions] = None,
    ) -> None:
        """Webhooks are sent normally from now on.

        In the sandboxes only. `DELETE /sandbox/webhooks/faults`
        """
        self._caller.call(operations.CLEAR_WEBHOOK_FAULTS, [], None, options)


class WebhookEndpointsResource:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def create(
        self,
        request: types.CreateWebhookEndpointRequest,
        options: Optional[CallOptions] = None,
    ) -> types.WebhookEndpointWithSecret:
        """Adds a URL for your webhooks, at most 20. Only this answer contains its `secret`.
        Without `eventTypes` it gets the two documented events. Two endpoints may have the
        same URL, and each is sent every event of its types.

        `POST /webhook_endpoints`
        """
        return self._caller.call(operations.CREATE_WEBHOOK_ENDPOINT, [], request, options)

    def list(
        self,
        options: Optional[CallOptions] = None,
    ) -> Iterator[types.WebhookEndpointData]:
        """All your webhook endpoints, oldest first, in one page.

        `GET /webhook_endpoints`
        """
        return self._caller.items(operations.LIST_WEBHOOK_ENDPOINTS, [], None, options)

    def pages(
        self,
        options: Optional[CallOptions] = None,
    ) -> Iterator[Page]:
        """The pages of `list`, each with the cursor of the next.
        """
        return self._caller.pages(operations.LIST_WEBHOOK_ENDPOINTS, [], None, options)

    def read(
        self,
        endpoint_id: str,
        options: Optional[CallOptions] = None,
    ) -> types.WebhookEndpointData:
        """Its address, its event types and its health.

        `GET /webhook_endpoints/{endpointId}`
        """
        return self._caller.call(operations.READ_WEBHOOK_ENDPOINT, [endpoint_id], None, options)

    def change(
        self,
        endpoint_id: str,
        request: Optional[types.ChangeWebhookEndpointRequest] = None,
        options: Optional[CallOptions] = None,
    ) -> types.WebhookEndpointData:
        """Changes only the members you send. With `enabled` false its events wait; with
        `enabled` true they are sent, oldest first, even if the service disabled it. Only
        the operator can enable an endpoint, or allow a URL, that the operator disabled.
        `previousSecretUntil` null ends the overlap of a rotation now.

        `PATCH /webhook_endpoints/{endpointId}`
        """
        return self._caller.call(operations.CHANGE_WEBHOOK_ENDPOINT, [endpoint_id], request, options)

    def remove(
        self,
        endpoint_id: str,
        options: Optional[CallOptions] = None,
    ) -> None:
        """Deletes its secret. Its pending deliveries are dropped.

        `DELETE /webhook_endpoints/{endpointId}`
        """
        self._caller.call(operations.REMOVE_WEBHOOK_ENDPOINT, [endpoint_id], None, options)

    def rotate_secret(
        self,
        endpoint_id: str,
        request: Optional[types.RotateWebhookSecretRequest] = None,
        options: Optional[CallOptions] = None,
    ) -> types.WebhookEndpointWithSecret:
        """Creates a new secret for the endpoint, which only this answer contains. For a day,
        or for `overlapSeconds`, `webhook-signature` has one signature of each secret.
        `X-Webhook-Signature`, which has room for one, uses the previous secret. It uses the
        new one when the overlap ends, or when you end it by setting `previousSecretUntil`
        to null. Rotating again within the overlap replaces the newer secret only.

        `POST /webhook_endpoints/{endpointId}/rotate_secret`
        """
        return self._caller.call(operations.ROTATE_WEBHOOK_SECRET, [endpoint_id], request, options)

    def test(
        self,
        endpoint_id: str,
        request: Optional[types.TestWebhookEndpointRequest] = None,
        options: Optional[CallOptions] = None,
    ) -> types.WebhookDelivery:
        """Sends a validly signed webhook that is not about an order, once and without retries:
        `orderId` is 0, `sessionId` begins with `exchange-test-`, and the header
        `X-Webhook-Test` is `true`. Read the delivery for its result.

        `POST /webhook_endpoints/{endpointId}/test`
        """
        return self._caller.call(operations.TEST_WEBHOOK_ENDPOINT, [endpoint_id], request, options)


class WebhookDeliveriesResource:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        query: Optional[types.ListWebhookDeliveriesQuery] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[types.WebhookDelivery]:
        """Sent and pending deliveries, newest first, each with its attempts.

        `GET /webhook_deliveries`
        """
        return self._caller.items(operations.LIST_WEBHOOK_DELIVERIES, [], query, options)

    def pages(
        self,
        query: Optional[types.ListWebhookDeliveriesQuery] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[Page]:
        """The pages of `list`, each with the cursor of the next.
        """
        return self._caller.pages(operations.LIST_WEBHOOK_DELIVERIES, [], query, options)

    def read(
        self,
        delivery_id: str,
        options: Optional[CallOptions] = None,
    ) -> types.WebhookDeliveryDetail:
        """One delivery with its attempts and its body.

        `GET /webhook_deliveries/{deliveryId}`
        """
        return self._caller.call(operations.READ_WEBHOOK_DELIVERY, [delivery_id], None, options)

    def replay(
        self,
        delivery_id: str,
        options: Optional[CallOptions] = None,
    ) -> types.WebhookDelivery:
        """Sends it now and restarts its schedule: the same `X-Webhook-Id` and body, a new
        signature. A delivered webhook is sent again; a waiting one is sent at once.

        `POST /webhook_deliveries/{deliveryId}/replay`
        """
        return self._caller.call(operations.REPLAY_WEBHOOK_DELIVERY, [delivery_id], None, options)

    def replay_range(
        self,
        request: types.ReplayWebhookDeliveriesRequest,
        options: Optional[CallOptions] = None,
    ) -> types.ReplayWebhookDeliveriesData:
        """Sends one endpoint the events of a period, oldest first, at most 10,000: those it
        did not accept, and those from before it was registered or subscribed. Use `dryRun`
        first.

        `POST /webhook_deliveries/replay`
        """
        return self._caller.call(operations.REPLAY_WEBHOOK_DELIVERIES, [], request, options)


class Resources:
    """Every endpoint a merchant may call."""

    def __init__(self, caller: Caller) -> None:
        self.public_tokens = PublicTokensResource(caller)
        self.payment_methods = PaymentMethodsResource(caller)
        self.currencies = CurrenciesResource(caller)
        self.quotes = QuotesResource(caller)
        self.orders = OrdersResource(caller)
        self.limits = LimitsResource(caller)
        self.countries = CountriesResource(caller)
        self.sessions = SessionsResource(caller)
        self.wallets = WalletsResource(caller)
        self.events = EventsResource(caller)
        self.sandbox = SandboxResource(caller)
        self.webhook_endpoints = WebhookEndpointsResource(caller)
        self.webhook_deliveries = WebhookDeliveriesResource(caller)
