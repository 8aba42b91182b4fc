<?php

// Written by `npm run generate -w @exchange/node` from the contract. Do not edit.

declare(strict_types=1);

namespace Exchange\Client\Generated;

use Exchange\Client\Caller;
use Exchange\Client\CallOptions;
use Exchange\Client\Operation;

/**
 * @phpstan-import-type CountryItem from Types
 */
final class CountriesResource
{
    public function __construct(private readonly Caller $caller)
    {
    }

    /**
     * The supported countries, with the operations that customers there can use.
     *
     * `GET /exchange/countries`
     *
     * @return list<CountryItem>
     */
    public function list(?CallOptions $options = null): array
    {
        $operation = new Operation('listCountries', 'GET', '/exchange/countries');
        return $this->caller->call($operation, [], null, $options);
    }
}
