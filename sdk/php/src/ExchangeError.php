<?php

declare(strict_types=1);

namespace Exchange\Client;

/** A failed call. It never contains credentials, addresses or anything you sent. Compare `errorCode`. */
final class ExchangeError extends \RuntimeException
{
    /**
     * @param string $errorCode a code of the service, or TIMEOUT, CONNECTION_FAILED or UNEXPECTED_ANSWER
     * @param string $operation the operationId of the endpoint
     * @param int|null $status HTTP status; null when no answer came
     * @param string|null $requestId identifies this request in the service's logs
     * @param list<array{path: string, issue: string}> $details
     * @param bool $retryable whether the same call may succeed later, with the same idempotency key
     * @param string|null $idempotencyKey the key that every attempt of a POST carried
     * @param array<string, mixed>|null $body the whole error body, for members of a single code
     */
    public function __construct(
        string $message,
        public readonly string $errorCode,
        public readonly string $operation,
        public readonly ?int $status = null,
        public readonly ?string $requestId = null,
        public readonly array $details = [],
        public readonly bool $retryable = false,
        public readonly ?float $retryAfterSeconds = null,
        public readonly int $attempts = 1,
        public readonly ?string $idempotencyKey = null,
        public readonly ?array $body = null,
    ) {
        parent::__construct($message);
    }
}
