<?php

declare(strict_types=1);

namespace Exchange\Client;

/**
 * A webhook that cannot be trusted. Answer 400 and do nothing else. The reason is `missing_header`,
 * `malformed_header`, `signature_mismatch`, `timestamp_too_old`, `timestamp_in_future` or `malformed_body`.
 */
final class WebhookError extends \RuntimeException
{
    public function __construct(public readonly string $reason, string $message)
    {
        parent::__construct($message);
    }
}
