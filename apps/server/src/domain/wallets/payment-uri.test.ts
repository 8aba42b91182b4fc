import { money } from "@exchange/money";
import { expect, test } from "vitest";
import { shippedCatalogue } from "../../testing/catalogue.ts";
import { paymentUri } from "./payment-uri.ts";

const catalogue = await shippedCatalogue();
const EVM = "0xde709f2102306220921060314715629080e2fb77";
const XRP = "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh";

test.each([
  ["btc", "1A1z", null, 123_456n, "bitcoin:1A1z?amount=0.00123456"],
  ["bch", "bitcoincash:qq", null, 100_000_000n, "bitcoincash:qq?amount=1"],
  ["eth", EVM, null, 500_000_000_000_000_000n, `ethereum:${EVM}@1?value=500000000000000000`],
  ["eth-base", EVM, null, 1n, `ethereum:${EVM}@8453?value=1`],
  [
    "usdt-bsc",
    EVM,
    null,
    10n ** 18n,
    `ethereum:0x55d398326f99059fF775485246999027B3197955@56/transfer?address=${EVM}&uint256=1000000000000000000`,
  ],
  ["sol", "9xQe", null, 2_500_000_000n, "solana:9xQe?amount=2.5"],
  [
    "usdt-solana",
    "9xQe",
    null,
    1_000_000n,
    "solana:9xQe?amount=1&spl-token=Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB",
  ],
  ["xrp", XRP, "100000", 12_500_000n, `ripple:${XRP}?amount=12.5&dt=100000`],
  ["usdt-tron", "TXyz", null, 1_000_000n, "TXyz"],
])(
  "a payment link of %s carries amount, network and tag",
  (reference, address, memo, units, uri) => {
    const currency = catalogue.currencyByCodeOrReference(reference) ?? expect.fail(reference);
    expect(paymentUri({ currency, address, memo, amount: money(currency, units) })).toBe(uri);
  },
);

test("a live network's own chain id is in the link, so a test network is never the real one", () => {
  const currency = catalogue.currencyByCodeOrReference("usdt-ethereum") ?? expect.fail();
  const payment = { currency, address: EVM, memo: null, amount: money(currency, 1n) };
  expect(paymentUri({ ...payment, chainId: 11_155_111 })).toContain("@11155111/transfer?");
});

test("each network of EVM addresses has a chain id", () => {
  for (const currency of catalogue.currencies) {
    const network = catalogue.network(currency.networkCode ?? "");
    if (network?.addressFormat !== "evm") continue;
    const amount = money(currency, 1n);
    expect(paymentUri({ currency, address: EVM, memo: null, amount })).toMatch(/^ethereum:.*@\d+/);
  }
});
