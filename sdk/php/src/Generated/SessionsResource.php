<?php

// Written by `npm run generate -w @exchange/node` from the contract. Do not edit.

declare(strict_types=1);

namespace Exchange\Client\Generated;

use Exchange\Client\Caller;
use Exchange\Client\CallOptions;
use Exchange\Client\Operation;

/**
 * @phpstan-import-type SessionData from Types
 */
final class SessionsResource
{
    public function __construct(private readonly Caller $caller)
    {
    }

    /**
     * The terms that you locked when you created its token, and its order, or null before one.
     *
     * `GET /sessions/{sessionId}`
     *
     * @return SessionData
     */
    public function read(string $sessionId, ?CallOptions $options = null): array
    {
        $operation = new Operation('readSession', 'GET', '/sessions/{sessionId}');
        return $this->caller->call($operation, [$sessionId], null, $options);
    }

    /**
     * The session's public token stops working at once, and so does the page of its order (`customerUrl`).
     * The order itself goes on. While the session has no order, you may create a new token for it.
     * Repeating the call has no further effect.
     *
     * `POST /sessions/{sessionId}/revoke_token`
     *
     * @return SessionData
     */
    public function revokeToken(string $sessionId, ?CallOptions $options = null): array
    {
        $operation = new Operation('revokeSessionToken', 'POST', '/sessions/{sessionId}/revoke_token');
        return $this->caller->call($operation, [$sessionId], null, $options);
    }
}
