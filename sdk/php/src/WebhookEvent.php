<?php

declare(strict_types=1);

namespace Exchange\Client;

/** A verified webhook. */
final class WebhookEvent
{
    /**
     * @param string $id the same on every attempt: store it, and handle each id once
     * @param int $sentAt Unix seconds of this attempt
     * @param int|null $attempt 1 for the first; no signature covers it
     * @param array<string, mixed> $details `details` of the body; amounts are text
     * @param bool $isTest sent by `webhookEndpoints->test`; it is not about an order
     * @param bool $isBodyProven false if only `documented` was verified: then only id, sentAt, eventType and the
     *     order id are proven
     */
    public function __construct(
        public readonly string $id,
        public readonly int $sentAt,
        public readonly ?int $attempt,
        public readonly string $eventType,
        public readonly string $sessionId,
        public readonly array $details,
        public readonly bool $isTest,
        public readonly bool $isBodyProven,
    ) {
    }
}
