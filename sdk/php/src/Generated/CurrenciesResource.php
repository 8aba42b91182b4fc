<?php

// Written by `npm run generate -w @exchange/node` from the contract. Do not edit.

declare(strict_types=1);

namespace Exchange\Client\Generated;

use Exchange\Client\Caller;
use Exchange\Client\CallOptions;
use Exchange\Client\Operation;

/**
 * @phpstan-import-type ExchangeCurrencies from Types
 * @phpstan-import-type ListCurrenciesQuery from Types
 */
final class CurrenciesResource
{
    public function __construct(private readonly Caller $caller)
    {
    }

    /**
     * Currencies that an operation type can use in a country.
     *
     * `GET /exchange/currencies`
     *
     * @param ListCurrenciesQuery $query
     * @return ExchangeCurrencies
     */
    public function list(array $query, ?CallOptions $options = null): array
    {
        $operation = new Operation('listCurrencies', 'GET', '/exchange/currencies', input: 'query');
        return $this->caller->call($operation, [], $query, $options);
    }
}
