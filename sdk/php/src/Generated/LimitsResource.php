<?php

// Written by `npm run generate -w @exchange/node` from the contract. Do not edit.

declare(strict_types=1);

namespace Exchange\Client\Generated;

use Exchange\Client\Caller;
use Exchange\Client\CallOptions;
use Exchange\Client\Operation;

/**
 * @phpstan-import-type ExchangeLimits from Types
 * @phpstan-import-type ReadExchangeLimitsQuery from Types
 */
final class LimitsResource
{
    public function __construct(private readonly Caller $caller)
    {
    }

    /**
     * The minimum and maximum amount of an exchange, and the rule that sets each: the same figures as in
     * quotes and errors. Name each currency by its id, or by its code or reference. `ways` lists every
     * payment and delivery method that fits your query; `min` and `max` beside it are the widest of them.
     *
     * `GET /exchange/limits`
     *
     * @param ReadExchangeLimitsQuery $query
     * @return ExchangeLimits
     */
    public function read(array $query, ?CallOptions $options = null): array
    {
        $operation = new Operation('readExchangeLimits', 'GET', '/exchange/limits', input: 'query');
        return $this->caller->call($operation, [], $query, $options);
    }
}
