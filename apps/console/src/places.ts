import type { Permission } from "@exchange/contract/admin";
import type { ComponentType } from "preact";
import type { ScreenProps } from "./route.ts";
import type { TextKey } from "./say.ts";
import { fetchLater } from "./ui/not-loaded.tsx";

export interface Place {
  readonly label: TextKey;
  readonly screen: ComponentType<ScreenProps>;
  readonly permission?: Permission;
  /** The screen of one thing of the place, whose id is the second part of the address. */
  readonly detail?: ComponentType<ScreenProps>;
  /** Only the operator's people see it. */
  readonly isOperators?: true;
}

/** The places of the console by the first part of their address, each loaded when it is opened. */
export const PLACES: Readonly<Record<string, Place>> = {
  home: {
    label: "nav.home",
    screen: fetchLater(async () => (await import("./home/home.tsx")).Home),
    permission: "overview.read",
    isOperators: true,
  },
  overview: {
    label: "nav.home",
    screen: fetchLater(async () => (await import("./home/merchant-home.tsx")).MerchantHome),
    permission: "merchant_overview.read",
  },
  orders: {
    label: "nav.orders",
    screen: fetchLater(async () => (await import("./orders/orders.tsx")).Orders),
    detail: fetchLater(async () => (await import("./orders/order.tsx")).Order),
    permission: "orders.read",
  },
  reviews: {
    label: "nav.reviews",
    screen: fetchLater(async () => (await import("./orders/reviews.tsx")).Reviews),
    permission: "orders.read",
    isOperators: true,
  },
  payouts: {
    label: "nav.payouts",
    screen: fetchLater(async () => (await import("./payouts/payouts.tsx")).Payouts),
    permission: "payouts.read",
    isOperators: true,
  },
  treasury: {
    label: "nav.treasury",
    screen: fetchLater(async () => (await import("./money/treasury.tsx")).TreasuryBalances),
    permission: "treasury.read",
    isOperators: true,
  },
  reports: {
    label: "nav.reports",
    screen: fetchLater(async () => (await import("./money/reports.tsx")).Reports),
    permission: "reports.read",
  },
  statements: {
    label: "nav.statements",
    screen: fetchLater(async () => (await import("./money/statements.tsx")).Statements),
    permission: "ledger.read",
  },
  ledger: {
    label: "nav.ledger",
    screen: fetchLater(async () => (await import("./money/ledger.tsx")).Ledger),
    permission: "ledger.read",
    isOperators: true,
  },
  keys: {
    label: "nav.keys",
    screen: fetchLater(async () => (await import("./keys/keys.tsx")).Keys),
    permission: "integration.read",
  },
  webhooks: {
    label: "nav.webhooks",
    screen: fetchLater(async () => (await import("./webhooks/webhooks.tsx")).Webhooks),
    detail: fetchLater(async () => (await import("./webhooks/delivery.tsx")).Delivery),
    permission: "integration.read",
  },
  requests: {
    label: "nav.requests",
    screen: fetchLater(async () => (await import("./requests/requests.tsx")).Requests),
    permission: "integration.read",
  },
  install: {
    label: "nav.install",
    screen: fetchLater(async () => (await import("./install/install.tsx")).Install),
    permission: "integration.read",
  },
  settings: {
    label: "nav.settings",
    screen: fetchLater(async () => (await import("./settings/settings.tsx")).Settings),
    permission: "integration.read",
  },
  prices: {
    label: "nav.prices",
    screen: fetchLater(async () => (await import("./prices/prices.tsx")).Prices),
    permission: "prices.read",
    isOperators: true,
  },
  catalogue: {
    label: "nav.catalogue",
    screen: fetchLater(async () => (await import("./catalogue/catalogue.tsx")).Catalogue),
    permission: "catalogue.read",
    isOperators: true,
  },
  merchants: {
    label: "nav.merchants",
    screen: fetchLater(async () => (await import("./merchants/merchants.tsx")).Merchants),
    detail: fetchLater(async () => (await import("./merchants/merchant.tsx")).MerchantDetail),
    permission: "merchants.read",
    isOperators: true,
  },
  people: {
    label: "nav.people",
    screen: fetchLater(async () => (await import("./people/people.tsx")).People),
    permission: "people.read",
  },
  audit: {
    label: "nav.audit",
    screen: fetchLater(async () => (await import("./people/audit.tsx")).Audit),
    permission: "audit.read",
  },
  account: {
    label: "nav.account",
    screen: fetchLater(async () => (await import("./account/account.tsx")).Account),
  },
};
