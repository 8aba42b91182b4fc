<?php

declare(strict_types=1);

namespace Exchange\Client;

/**
 * Options of one call, which override the client's. The idempotency key has 1 to 255 printable ASCII
 * characters and is random by default. Within 24 hours, the same key with the same body runs once.
 */
final class CallOptions
{
    public function __construct(
        public readonly ?string $idempotencyKey = null,
        public readonly ?float $timeoutSeconds = null,
        public readonly ?int $maxRetries = null,
    ) {
    }
}
