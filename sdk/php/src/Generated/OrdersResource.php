<?php

// Written by `npm run generate -w @exchange/node` from the contract. Do not edit.

declare(strict_types=1);

namespace Exchange\Client\Generated;

use Exchange\Client\Caller;
use Exchange\Client\CallOptions;
use Exchange\Client\Operation;
use Exchange\Client\Page;

/**
 * @phpstan-import-type ListOrdersQuery from Types
 * @phpstan-import-type OrderData from Types
 * @phpstan-import-type RefundRequest from Types
 */
final class OrdersResource
{
    public function __construct(private readonly Caller $caller)
    {
    }

    /**
     * The webhook's fields, the customer, the refunds, your metadata and the full timeline of the order.
     * Read it again before you release goods.
     *
     * `GET /orders/{orderId}`
     *
     * @return OrderData
     */
    public function read(int $orderId, ?CallOptions $options = null): array
    {
        $operation = new Operation('readOrder', 'GET', '/orders/{orderId}');
        return $this->caller->call($operation, [$orderId], null, $options);
    }

    /**
     * Your orders, newest first, each as `GET /orders/{orderId}` returns it. Follow `nextCursor` until it
     * is null. New orders do not disturb the pages.
     *
     * `GET /orders`
     *
     * @param ListOrdersQuery $query
     * @return \Generator<int, OrderData>
     */
    public function list(array $query = [], ?CallOptions $options = null): \Generator
    {
        $operation = new Operation('listOrders', 'GET', '/orders', input: 'query', cursor: 'cursor');
        return $this->caller->items($operation, [], $query, $options);
    }

    /**
     * The pages of `list`, each with the cursor of the next.
     *
     * @param ListOrdersQuery $query
     * @return \Generator<int, Page<OrderData>>
     */
    public function pages(array $query = [], ?CallOptions $options = null): \Generator
    {
        $operation = new Operation('listOrders', 'GET', '/orders', input: 'query', cursor: 'cursor');
        return $this->caller->pages($operation, [], $query, $options);
    }

    /**
     * Ends an order that is not paid yet, with the reason `merchant_cancelled`. An order in any other
     * status is refused with `INVALID_ORDER_STATE`.
     *
     * `POST /orders/{orderId}/cancel`
     *
     * @return OrderData
     */
    public function cancel(int $orderId, ?CallOptions $options = null): array
    {
        $operation = new Operation('cancelOrderByMerchant', 'POST', '/orders/{orderId}/cancel');
        return $this->caller->call($operation, [$orderId], null, $options);
    }

    /**
     * The page at `customerUrl` stops working at once, and `customerUrl` becomes null. The order itself
     * goes on, and so does the session's public token. Repeating the call has no further effect.
     *
     * `POST /orders/{orderId}/revoke_customer_url`
     *
     * @return OrderData
     */
    public function revokeCustomerUrl(int $orderId, ?CallOptions $options = null): array
    {
        $operation = new Operation('revokeCustomerUrl', 'POST', '/orders/{orderId}/revoke_customer_url');
        return $this->caller->call($operation, [$orderId], null, $options);
    }

    /**
     * Returns the received money to its sender: all of it, or `amount` of it. This works while the money
     * is held and not exchanged; later, and while the order is held for `compliance`, an operator decides.
     * Coins go to the refund address of the order; this request may set one where the order has none.
     *
     * `POST /orders/{orderId}/refunds`
     *
     * @param RefundRequest $request
     * @return OrderData
     */
    public function refund(int $orderId, array $request = [], ?CallOptions $options = null): array
    {
        $operation = new Operation('refundOrder', 'POST', '/orders/{orderId}/refunds', input: 'body');
        return $this->caller->call($operation, [$orderId], $request, $options);
    }
}
