<?php

// Written by `npm run generate -w @exchange/node` from the contract. Do not edit.

declare(strict_types=1);

namespace Exchange\Client\Generated;

use Exchange\Client\Caller;
use Exchange\Client\CallOptions;
use Exchange\Client\Operation;
use Exchange\Client\Page;

/**
 * @phpstan-import-type ListWebhookDeliveriesQuery from Types
 * @phpstan-import-type ReplayWebhookDeliveriesData from Types
 * @phpstan-import-type ReplayWebhookDeliveriesRequest from Types
 * @phpstan-import-type WebhookDelivery from Types
 * @phpstan-import-type WebhookDeliveryDetail from Types
 */
final class WebhookDeliveriesResource
{
    public function __construct(private readonly Caller $caller)
    {
    }

    /**
     * Sent and pending deliveries, newest first, each with its attempts.
     *
     * `GET /webhook_deliveries`
     *
     * @param ListWebhookDeliveriesQuery $query
     * @return \Generator<int, WebhookDelivery>
     */
    public function list(array $query = [], ?CallOptions $options = null): \Generator
    {
        $operation = new Operation('listWebhookDeliveries', 'GET', '/webhook_deliveries', input: 'query', cursor: 'cursor');
        return $this->caller->items($operation, [], $query, $options);
    }

    /**
     * The pages of `list`, each with the cursor of the next.
     *
     * @param ListWebhookDeliveriesQuery $query
     * @return \Generator<int, Page<WebhookDelivery>>
     */
    public function pages(array $query = [], ?CallOptions $options = null): \Generator
    {
        $operation = new Operation('listWebhookDeliveries', 'GET', '/webhook_deliveries', input: 'query', cursor: 'cursor');
        return $this->caller->pages($operation, [], $query, $options);
    }

    /**
     * One delivery with its attempts and its body.
     *
     * `GET /webhook_deliveries/{deliveryId}`
     *
     * @return WebhookDeliveryDetail
     */
    public function read(string $deliveryId, ?CallOptions $options = null): array
    {
        $operation = new Operation('readWebhookDelivery', 'GET', '/webhook_deliveries/{deliveryId}');
        return $this->caller->call($operation, [$deliveryId], null, $options);
    }

    /**
     * Sends it now and restarts its schedule: the same `X-Webhook-Id` and body, a new signature. A
     * delivered webhook is sent again; a waiting one is sent at once.
     *
     * `POST /webhook_deliveries/{deliveryId}/replay`
     *
     * @return WebhookDelivery
     */
    public function replay(string $deliveryId, ?CallOptions $options = null): array
    {
        $operation = new Operation('replayWebhookDelivery', 'POST', '/webhook_deliveries/{deliveryId}/replay');
        return $this->caller->call($operation, [$deliveryId], null, $options);
    }

    /**
     * Sends one endpoint the events of a period, oldest first, at most 10,000: those it did not accept,
     * and those from before it was registered or subscribed. Use `dryRun` first.
     *
     * `POST /webhook_deliveries/replay`
     *
     * @param ReplayWebhookDeliveriesRequest $request
     * @return ReplayWebhookDeliveriesData
     */
    public function replayRange(array $request, ?CallOptions $options = null): array
    {
        $operation = new Operation('replayWebhookDeliveries', 'POST', '/webhook_deliveries/replay', input: 'body');
        return $this->caller->call($operation, [], $request, $options);
    }
}
