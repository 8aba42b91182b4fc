<?php

// Written by `npm run generate -w @exchange/node` from the contract. Do not edit.

declare(strict_types=1);

namespace Exchange\Client\Generated;

use Exchange\Client\Caller;
use Exchange\Client\CallOptions;
use Exchange\Client\Operation;

/**
 * @phpstan-import-type AdvanceClockRequest from Types
 * @phpstan-import-type AdvanceOrderRequest from Types
 * @phpstan-import-type OrderData from Types
 * @phpstan-import-type PlantWebhookFaultRequest from Types
 * @phpstan-import-type SandboxClock from Types
 * @phpstan-import-type SandboxDeposit from Types
 * @phpstan-import-type SandboxDepositRequest from Types
 * @phpstan-import-type WebhookFault from Types
 */
final class SandboxResource
{
    public function __construct(private readonly Caller $caller)
    {
    }

    /**
     * Moves the business clock of the whole sandbox forward, for every merchant in it: payment windows
     * end, quotes expire and webhook retries become due at once. Token times and webhook timestamps stay
     * real. Where the operator keeps the clock, as staging does by default, the answer is NOT_FOUND. Prod
     * does not have this endpoint.
     *
     * In the sandboxes only. `POST /sandbox/clock`
     *
     * @param AdvanceClockRequest $request
     * @return SandboxClock
     */
    public function advanceClock(array $request, ?CallOptions $options = null): array
    {
        $operation = new Operation('advanceSandboxClock', 'POST', '/sandbox/clock', input: 'body');
        return $this->caller->call($operation, [], $request, $options);
    }

    /**
     * Sends coins to the deposit address of an order, or a transfer to its bank account. Without `amount`
     * and `confirmations` the payment is exact and final. With `confirmations` 0 it is in flight; the same
     * call with its `depositId` advances it, or drops it. Prod does not have this endpoint.
     *
     * In the sandboxes only. `POST /sandbox/deposits`
     *
     * @param SandboxDepositRequest $request
     * @return SandboxDeposit
     */
    public function payDeposit(array $request, ?CallOptions $options = null): array
    {
        $operation = new Operation('paySandboxDeposit', 'POST', '/sandbox/deposits', input: 'body');
        return $this->caller->call($operation, [], $request, $options);
    }

    /**
     * Simulates customers, banks, chains and operators until the order has reached the status, and returns
     * the order. If the order has already moved on, its timeline shows the status. A status that the
     * timeline shows after the one of your last call is reached already: the order is returned as it is.
     * Otherwise only a legal next status is accepted; the error message names them. `expired` moves the
     * clock of the whole sandbox, where merchants may. Prod does not have this endpoint.
     *
     * In the sandboxes only. `POST /sandbox/orders/{orderId}/advance`
     *
     * @param AdvanceOrderRequest $request
     * @return OrderData
     */
    public function advanceOrder(int $orderId, array $request, ?CallOptions $options = null): array
    {
        $operation = new Operation('advanceSandboxOrder', 'POST', '/sandbox/orders/{orderId}/advance', input: 'body');
        return $this->caller->call($operation, [$orderId], $request, $options);
    }

    /**
     * Makes your next webhooks fail on purpose, so that you can test your receiver. Prod does not have
     * this endpoint.
     *
     * In the sandboxes only. `POST /sandbox/webhooks/faults`
     *
     * @param PlantWebhookFaultRequest $request
     * @return WebhookFault
     */
    public function plantWebhookFault(array $request, ?CallOptions $options = null): array
    {
        $operation = new Operation('plantWebhookFault', 'POST', '/sandbox/webhooks/faults', input: 'body');
        return $this->caller->call($operation, [], $request, $options);
    }

    /**
     * The faults you planted that will still hit a webhook, oldest first.
     *
     * In the sandboxes only. `GET /sandbox/webhooks/faults`
     *
     * @return list<WebhookFault>
     */
    public function listWebhookFaults(?CallOptions $options = null): array
    {
        $operation = new Operation('listWebhookFaults', 'GET', '/sandbox/webhooks/faults');
        return $this->caller->call($operation, [], null, $options);
    }

    /**
     * Webhooks are sent normally from now on.
     *
     * In the sandboxes only. `DELETE /sandbox/webhooks/faults`
     *
     */
    public function clearWebhookFaults(?CallOptions $options = null): void
    {
        $operation = new Operation('clearWebhookFaults', 'DELETE', '/sandbox/webhooks/faults');
        $this->caller->call($operation, [], null, $options);
    }
}
