<?php

// Written by `npm run generate -w @exchange/node` from the contract. Do not edit.

declare(strict_types=1);

namespace Exchange\Client\Generated;

use Exchange\Client\Caller;
use Exchange\Client\CallOptions;
use Exchange\Client\Operation;

/**
 * @phpstan-import-type CreateTokenRequest from Types
 * @phpstan-import-type PublicToken from Types
 */
final class PublicTokensResource
{
    public function __construct(private readonly Caller $caller)
    {
    }

    /**
     * Creates the public access token of one session, for the browser SDK. While the session has no order,
     * another call for it returns a new token, and the older one stops working.
     *
     * `POST /public_token/create`
     *
     * @param CreateTokenRequest $request
     * @return PublicToken
     */
    public function create(array $request, ?CallOptions $options = null): array
    {
        $operation = new Operation('createPublicToken', 'POST', '/public_token/create', input: 'body');
        return $this->caller->call($operation, [], $request, $options);
    }
}
