<?php

// Written by `npm run generate -w @exchange/node` from the contract. Do not edit.

declare(strict_types=1);

namespace Exchange\Client\Generated;

use Exchange\Client\Caller;

/** Every endpoint a merchant may call. */
abstract class Resources
{
    public readonly PublicTokensResource $publicTokens;
    public readonly PaymentMethodsResource $paymentMethods;
    public readonly CurrenciesResource $currencies;
    public readonly QuotesResource $quotes;
    public readonly OrdersResource $orders;
    public readonly LimitsResource $limits;
    public readonly CountriesResource $countries;
    public readonly SessionsResource $sessions;
    public readonly WalletsResource $wallets;
    public readonly EventsResource $events;
    public readonly SandboxResource $sandbox;
    public readonly WebhookEndpointsResource $webhookEndpoints;
    public readonly WebhookDeliveriesResource $webhookDeliveries;

    public function __construct(Caller $caller)
    {
        $this->publicTokens = new PublicTokensResource($caller);
        $this->paymentMethods = new PaymentMethodsResource($caller);
        $this->currencies = new CurrenciesResource($caller);
        $this->quotes = new QuotesResource($caller);
        $this->orders = new OrdersResource($caller);
        $this->limits = new LimitsResource($caller);
        $this->countries = new CountriesResource($caller);
        $this->sessions = new SessionsResource($caller);
        $this->wallets = new WalletsResource($caller);
        $this->events = new EventsResource($caller);
        $this->sandbox = new SandboxResource($caller);
        $this->webhookEndpoints = new WebhookEndpointsResource($caller);
        $this->webhookDeliveries = new WebhookDeliveriesResource($caller);
    }
}
