<?php

// Written by `npm run generate -w @exchange/node` from the contract. Do not edit.

declare(strict_types=1);

namespace Exchange\Client\Generated;

use Exchange\Client\Caller;
use Exchange\Client\CallOptions;
use Exchange\Client\Operation;

/**
 * @phpstan-import-type QuoteData from Types
 * @phpstan-import-type QuoteRequest from Types
 */
final class QuotesResource
{
    public function __construct(private readonly Caller $caller)
    {
    }

    /**
     * An indicative quote, valid for 30 seconds.
     *
     * `POST /exchange/quotes`
     *
     * @param QuoteRequest $request
     * @return QuoteData
     */
    public function create(array $request, ?CallOptions $options = null): array
    {
        $operation = new Operation('createQuote', 'POST', '/exchange/quotes', input: 'body');
        return $this->caller->call($operation, [], $request, $options);
    }
}
