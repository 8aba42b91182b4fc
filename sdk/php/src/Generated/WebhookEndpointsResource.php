<?php

// Written by `npm run generate -w @exchange/node` from the contract. Do not edit.

declare(strict_types=1);

namespace Exchange\Client\Generated;

use Exchange\Client\Caller;
use Exchange\Client\CallOptions;
use Exchange\Client\Operation;
use Exchange\Client\Page;

/**
 * @phpstan-import-type ChangeWebhookEndpointRequest from Types
 * @phpstan-import-type CreateWebhookEndpointRequest from Types
 * @phpstan-import-type RotateWebhookSecretRequest from Types
 * @phpstan-import-type TestWebhookEndpointRequest from Types
 * @phpstan-import-type WebhookDelivery from Types
 * @phpstan-import-type WebhookEndpointData from Types
 * @phpstan-import-type WebhookEndpointWithSecret from Types
 */
final class WebhookEndpointsResource
{
    public function __construct(private readonly Caller $caller)
    {
    }

    /**
     * Adds a URL for your webhooks, at most 20. Only this answer contains its `secret`. Without
     * `eventTypes` it gets the two documented events. Two endpoints may have the same URL, and each is
     * sent every event of its types.
     *
     * `POST /webhook_endpoints`
     *
     * @param CreateWebhookEndpointRequest $request
     * @return WebhookEndpointWithSecret
     */
    public function create(array $request, ?CallOptions $options = null): array
    {
        $operation = new Operation('createWebhookEndpoint', 'POST', '/webhook_endpoints', input: 'body');
        return $this->caller->call($operation, [], $request, $options);
    }

    /**
     * All your webhook endpoints, oldest first, in one page.
     *
     * `GET /webhook_endpoints`
     *
     * @return \Generator<int, WebhookEndpointData>
     */
    public function list(?CallOptions $options = null): \Generator
    {
        $operation = new Operation('listWebhookEndpoints', 'GET', '/webhook_endpoints', cursor: 'cursor');
        return $this->caller->items($operation, [], null, $options);
    }

    /**
     * The pages of `list`, each with the cursor of the next.
     *
     * @return \Generator<int, Page<WebhookEndpointData>>
     */
    public function pages(?CallOptions $options = null): \Generator
    {
        $operation = new Operation('listWebhookEndpoints', 'GET', '/webhook_endpoints', cursor: 'cursor');
        return $this->caller->pages($operation, [], null, $options);
    }

    /**
     * Its address, its event types and its health.
     *
     * `GET /webhook_endpoints/{endpointId}`
     *
     * @return WebhookEndpointData
     */
    public function read(string $endpointId, ?CallOptions $options = null): array
    {
        $operation = new Operation('readWebhookEndpoint', 'GET', '/webhook_endpoints/{endpointId}');
        return $this->caller->call($operation, [$endpointId], null, $options);
    }

    /**
     * Changes only the members you send. With `enabled` false its events wait; with `enabled` true they
     * are sent, oldest first, even if the service disabled it. Only the operator can enable an endpoint,
     * or allow a URL, that the operator disabled. `previousSecretUntil` null ends the overlap of a
     * rotation now.
     *
     * `PATCH /webhook_endpoints/{endpointId}`
     *
     * @param ChangeWebhookEndpointRequest $request
     * @return WebhookEndpointData
     */
    public function change(string $endpointId, array $request = [], ?CallOptions $options = null): array
    {
        $operation = new Operation('changeWebhookEndpoint', 'PATCH', '/webhook_endpoints/{endpointId}', input: 'body');
        return $this->caller->call($operation, [$endpointId], $request, $options);
    }

    /**
     * Deletes its secret. Its pending deliveries are dropped.
     *
     * `DELETE /webhook_endpoints/{endpointId}`
     *
     */
    public function remove(string $endpointId, ?CallOptions $options = null): void
    {
        $operation = new Operation('removeWebhookEndpoint', 'DELETE', '/webhook_endpoints/{endpointId}');
        $this->caller->call($operation, [$endpointId], null, $options);
    }

    /**
     * Creates a new secret for the endpoint, which only this answer contains. For a day, or for
     * `overlapSeconds`, `webhook-signature` has one signature of each secret. `X-Webhook-Signature`, which
     * has room for one, uses the previous secret. It uses the new one when the overlap ends, or when you
     * end it by setting `previousSecretUntil` to null. Rotating again within the overlap replaces the
     * newer secret only.
     *
     * `POST /webhook_endpoints/{endpointId}/rotate_secret`
     *
     * @param RotateWebhookSecretRequest $request
     * @return WebhookEndpointWithSecret
     */
    public function rotateSecret(string $endpointId, array $request = [], ?CallOptions $options = null): array
    {
        $operation = new Operation('rotateWebhookSecret', 'POST', '/webhook_endpoints/{endpointId}/rotate_secret', input: 'body');
        return $this->caller->call($operation, [$endpointId], $request, $options);
    }

    /**
     * Sends a validly signed webhook that is not about an order, once and without retries: `orderId` is 0,
     * `sessionId` begins with `exchange-test-`, and the header `X-Webhook-Test` is `true`. Read the
     * delivery for its result.
     *
     * `POST /webhook_endpoints/{endpointId}/test`
     *
     * @param TestWebhookEndpointRequest $request
     * @return WebhookDelivery
     */
    public function test(string $endpointId, array $request = [], ?CallOptions $options = null): array
    {
        $operation = new Operation('testWebhookEndpoint', 'POST', '/webhook_endpoints/{endpointId}/test', input: 'body');
        return $this->caller->call($operation, [$endpointId], $request, $options);
    }
}
