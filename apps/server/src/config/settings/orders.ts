import { parseWhole } from "../parsers.ts";
import { type Setting, setting } from "../setting.ts";

const openOrdersCap = (scope: string, euro: string, orders: string): Setting<number> => ({
  name: `EXCHANGE_OPEN_ORDERS_${scope}_EURO`,
  default: { dev: "0", staging: "0", prod: euro },
  description: `The most, in euro, that the placed and unpaid orders ${orders} may be for together. Another order is refused with \`LIQUIDITY_UNAVAILABLE\`. \`0\` means no cap.`,
  parse: parseWhole(0, 1_000_000_000),
});

/** Prices and caps of orders, and how long personal data is kept. */
export const ORDER_SETTINGS = {
  priceBandPercent: setting({
    name: "EXCHANGE_PRICE_BAND_PERCENT",
    default: "50",
    description:
      "How far the market may move against an order before its money is final, in percent of the spread in its quote. Beyond that the order waits for its customer's answer to a new price. `50` is half the spread.",
    parse: parseWhole(0, 10_000),
  }),
  slippageBasisPoints: setting({
    name: "EXCHANGE_SLIPPAGE_BASIS_POINTS",
    default: "25",
    description:
      "How much less a customer may receive at a renewed price before the checkout asks them, in hundredths of a percent. The button always names the price that it pays. `0` asks about each worse price.",
    parse: parseWhole(0, 200),
  }),
  openOrdersPairEuro: openOrdersCap("PAIR", "1000000", "of one pair of currencies"),
  openOrdersMerchantEuro: openOrdersCap("MERCHANT", "500000", "of one merchant"),
  openOrdersCustomerEuro: openOrdersCap(
    "CUSTOMER",
    "50000",
    "of one customer (by the `reference` that the merchant gave)",
  ),
  ordersRetentionDays: setting({
    name: "EXCHANGE_RETENTION_ORDERS_DAYS",
    default: "1826",
    description:
      "Days for which the personal data of an order is kept after the order has ended. Five years by default, as the laws against money laundering require.",
    parse: parseWhole(30, 36_500),
  }),
  sessionsRetentionDays: setting({
    name: "EXCHANGE_RETENTION_SESSIONS_DAYS",
    default: "90",
    description:
      "Days for which a session in which no order was placed is kept after its last token was issued.",
    parse: parseWhole(2, 36_500),
  }),
  walletsRetentionDays: setting({
    name: "EXCHANGE_RETENTION_WALLETS_DAYS",
    default: "1826",
    description:
      "Days for which the name beside a saved wallet is kept after the merchant last sent it.",
    parse: parseWhole(1, 36_500),
  }),
  addressesRetentionDays: setting({
    name: "EXCHANGE_RETENTION_ADDRESSES_DAYS",
    default: "365",
    description:
      "Days for which the network address that an API key was used from is kept after its last use.",
    parse: parseWhole(1, 36_500),
  }),
  fillPlacesAfterSeconds: setting({
    name: "EXCHANGE_FILL_PLACES_AFTER_SECONDS",
    default: "60",
    description:
      "Seconds after which the place that a stopped payout or an unsigned top-up left on its chain is filled with a transaction of nothing, if later payouts of the network wait for it.",
    parse: parseWhole(1, 86_400),
  }),
} as const;
