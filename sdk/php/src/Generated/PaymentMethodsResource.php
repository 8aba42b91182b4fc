<?php

// Written by `npm run generate -w @exchange/node` from the contract. Do not edit.

declare(strict_types=1);

namespace Exchange\Client\Generated;

use Exchange\Client\Caller;
use Exchange\Client\CallOptions;
use Exchange\Client\Operation;

/**
 * @phpstan-import-type ListPaymentMethodsQuery from Types
 * @phpstan-import-type PaymentMethodItem from Types
 */
final class PaymentMethodsResource
{
    public function __construct(private readonly Caller $caller)
    {
    }

    /**
     * Payment methods of an operation type in a country; with their delivery methods on request.
     *
     * `GET /payment-methods`
     *
     * @param ListPaymentMethodsQuery $query
     * @return list<PaymentMethodItem>
     */
    public function list(array $query, ?CallOptions $options = null): array
    {
        $operation = new Operation('listPaymentMethods', 'GET', '/payment-methods', input: 'query');
        return $this->caller->call($operation, [], $query, $options);
    }
}
