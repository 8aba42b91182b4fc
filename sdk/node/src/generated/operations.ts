// Written by `npm run generate -w @exchange/node` from the contract. Do not edit.

import type { Operation } from "../calls/operation.ts";

export const OPERATIONS = {
  publicTokens: {
    create: {
      id: "createPublicToken",
      method: "POST",
      path: "/public_token/create",
      input: "body",
    },
  },
  paymentMethods: {
    list: { id: "listPaymentMethods", method: "GET", path: "/payment-methods", input: "query" },
  },
  currencies: {
    list: { id: "listCurrencies", method: "GET", path: "/exchange/currencies", input: "query" },
  },
  quotes: {
    create: { id: "createQuote", method: "POST", path: "/exchange/quotes", input: "body" },
  },
  orders: {
    read: { id: "readOrder", method: "GET", path: "/orders/{orderId}" },
    list: { id: "listOrders", method: "GET", path: "/orders", input: "query", cursor: "cursor" },
    cancel: { id: "cancelOrderByMerchant", method: "POST", path: "/orders/{orderId}/cancel" },
    revokeCustomerUrl: {
      id: "revokeCustomerUrl",
      method: "POST",
      path: "/orders/{orderId}/revoke_customer_url",
    },
    refund: { id: "refundOrder", method: "POST", path: "/orders/{orderId}/refunds", input: "body" },
  },
  limits: {
    read: { id: "readExchangeLimits", method: "GET", path: "/exchange/limits", input: "query" },
  },
  countries: {
    list: { id: "listCountries", method: "GET", path: "/exchange/countries" },
  },
  sessions: {
    read: { id: "readSession", method: "GET", path: "/sessions/{sessionId}" },
    revokeToken: {
      id: "revokeSessionToken",
      method: "POST",
      path: "/sessions/{sessionId}/revoke_token",
    },
  },
  wallets: {
    save: { id: "saveWallet", method: "POST", path: "/wallets", input: "body" },
    list: { id: "listWallets", method: "GET", path: "/wallets", input: "query", cursor: "cursor" },
    lookUp: {
      id: "lookUpWallet",
      method: "GET",
      path: "/wallets/lookup",
      input: "query",
      unwrapped: true,
    },
    read: { id: "readWallet", method: "GET", path: "/wallets/{walletId}" },
    remove: { id: "removeWallet", method: "DELETE", path: "/wallets/{walletId}" },
  },
  events: {
    list: { id: "listEvents", method: "GET", path: "/events", input: "query", cursor: "after" },
  },
  sandbox: {
    advanceClock: {
      id: "advanceSandboxClock",
      method: "POST",
      path: "/sandbox/clock",
      input: "body",
    },
    payDeposit: {
      id: "paySandboxDeposit",
      method: "POST",
      path: "/sandbox/deposits",
      input: "body",
    },
    advanceOrder: {
      id: "advanceSandboxOrder",
      method: "POST",
      path: "/sandbox/orders/{orderId}/advance",
      input: "body",
    },
    plantWebhookFault: {
      id: "plantWebhookFault",
      method: "POST",
      path: "/sandbox/webhooks/faults",
      input: "body",
    },
    listWebhookFaults: { id: "listWebhookFaults", method: "GET", path: "/sandbox/webhooks/faults" },
    clearWebhookFaults: {
      id: "clearWebhookFaults",
      method: "DELETE",
      path: "/sandbox/webhooks/faults",
    },
  },
  webhookEndpoints: {
    create: {
      id: "createWebhookEndpoint",
      method: "POST",
      path: "/webhook_endpoints",
      input: "body",
    },
    list: {
      id: "listWebhookEndpoints",
      method: "GET",
      path: "/webhook_endpoints",
      cursor: "cursor",
    },
    read: { id: "readWebhookEndpoint", method: "GET", path: "/webhook_endpoints/{endpointId}" },
    change: {
      id: "changeWebhookEndpoint",
      method: "PATCH",
      path: "/webhook_endpoints/{endpointId}",
      input: "body",
    },
    remove: {
      id: "removeWebhookEndpoint",
      method: "DELETE",
      path: "/webhook_endpoints/{endpointId}",
    },
    rotateSecret: {
      id: "rotateWebhookSecret",
      method: "POST",
      path: "/webhook_endpoints/{endpointId}/rotate_secret",
      input: "body",
    },
    test: {
      id: "testWebhookEndpoint",
      method: "POST",
      path: "/webhook_endpoints/{endpointId}/test",
      input: "body",
    },
  },
  webhookDeliveries: {
    list: {
      id: "listWebhookDeliveries",
      method: "GET",
      path: "/webhook_deliveries",
      input: "query",
      cursor: "cursor",
    },
    read: { id: "readWebhookDelivery", method: "GET", path: "/webhook_deliveries/{deliveryId}" },
    replay: {
      id: "replayWebhookDelivery",
      method: "POST",
      path: "/webhook_deliveries/{deliveryId}/replay",
    },
    replayRange: {
      id: "replayWebhookDeliveries",
      method: "POST",
      path: "/webhook_deliveries/replay",
      input: "body",
    },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Operation>>>>;
