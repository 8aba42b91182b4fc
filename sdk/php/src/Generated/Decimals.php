<?php

// Written by `npm run generate -w @exchange/node` from the contract. Do not edit.

declare(strict_types=1);

namespace Exchange\Client\Generated;

/** Names of members by which JSON is read and written without floats. */
final class Decimals
{
    public const NAMES = [
        'amount',
        'amountReceived',
        'amountToSend',
        'baseAmount',
        'deliveryFee',
        'exchangeFee',
        'fixed',
        'max',
        'min',
        'percent',
        'rate',
        'received',
        'spread',
        'spreadPercent',
        'total',
        'totalPrice',
        'value',
    ];
    public const FREE_MAPS = [
        'metadata',
    ];
    public const LISTS = [
        'account',
        'addressStarts',
        'attempts',
        'availableNetworks',
        'belongsTo',
        'cryptoCurrencies',
        'currencyCodes',
        'deliveryMethods',
        'deposits',
        'eventTypes',
        'fees',
        'fiatCurrencies',
        'fields',
        'operationTypes',
        'refunds',
        'requiredFields',
        'scope',
        'timeline',
        'ways',
    ];
}
