<?php

// Written by `npm run generate -w @exchange/node` from the contract. Do not edit.

declare(strict_types=1);

namespace Exchange\Client\Generated;

use Exchange\Client\Caller;
use Exchange\Client\CallOptions;
use Exchange\Client\Operation;
use Exchange\Client\Page;

/**
 * @phpstan-import-type ListWalletsQuery from Types
 * @phpstan-import-type LookUpWalletQuery from Types
 * @phpstan-import-type Wallet from Types
 * @phpstan-import-type WalletLookupResult from Types
 * @phpstan-import-type WalletRequest from Types
 */
final class WalletsResource
{
    public function __construct(private readonly Caller $caller)
    {
    }

    /**
     * Saves an address of the currency. The same address on the same network returns the same wallet with
     * the latest names. An address that exists on several networks needs `networkCode`.
     *
     * `POST /wallets`
     *
     * @param WalletRequest $request
     * @return Wallet
     */
    public function save(array $request, ?CallOptions $options = null): array
    {
        $operation = new Operation('saveWallet', 'POST', '/wallets', input: 'body');
        return $this->caller->call($operation, [], $request, $options);
    }

    /**
     * The wallets you saved, newest first.
     *
     * `GET /wallets`
     *
     * @param ListWalletsQuery $query
     * @return \Generator<int, Wallet>
     */
    public function list(array $query = [], ?CallOptions $options = null): \Generator
    {
        $operation = new Operation('listWallets', 'GET', '/wallets', input: 'query', cursor: 'cursor');
        return $this->caller->items($operation, [], $query, $options);
    }

    /**
     * The pages of `list`, each with the cursor of the next.
     *
     * @param ListWalletsQuery $query
     * @return \Generator<int, Page<Wallet>>
     */
    public function pages(array $query = [], ?CallOptions $options = null): \Generator
    {
        $operation = new Operation('listWallets', 'GET', '/wallets', input: 'query', cursor: 'cursor');
        return $this->caller->pages($operation, [], $query, $options);
    }

    /**
     * Whether an address belongs to a coin, and on which networks; with the wallet you saved for it, or
     * null.
     *
     * `GET /wallets/lookup`
     *
     * @param LookUpWalletQuery $query
     * @return WalletLookupResult
     */
    public function lookUp(array $query, ?CallOptions $options = null): array
    {
        $operation = new Operation('lookUpWallet', 'GET', '/wallets/lookup', input: 'query', isUnwrapped: true);
        return $this->caller->call($operation, [], $query, $options);
    }

    /**
     * One wallet you saved.
     *
     * `GET /wallets/{walletId}`
     *
     * @return Wallet
     */
    public function read(int $walletId, ?CallOptions $options = null): array
    {
        $operation = new Operation('readWallet', 'GET', '/wallets/{walletId}');
        return $this->caller->call($operation, [$walletId], null, $options);
    }

    /**
     * Deletes a wallet you saved. Orders to its address are not changed.
     *
     * `DELETE /wallets/{walletId}`
     *
     */
    public function remove(int $walletId, ?CallOptions $options = null): void
    {
        $operation = new Operation('removeWallet', 'DELETE', '/wallets/{walletId}');
        $this->caller->call($operation, [$walletId], null, $options);
    }
}
