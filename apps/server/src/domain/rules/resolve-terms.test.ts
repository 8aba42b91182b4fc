import { beforeAll, describe, expect, test } from "vitest";
import { found, shippedCatalogue } from "../../testing/catalogue.ts";
import { buildCatalogue, type Catalogue } from "../catalogue/catalogue.ts";
import type { PricingRule } from "../catalogue/pricing-rule.ts";
import { listCurrencies, listPaymentMethods } from "./availability.ts";
import { describeMoney } from "./limits.ts";
import { resolveTerms } from "./resolve-terms.ts";
import type { ExchangeWish } from "./terms.ts";

const NOW = new Date("2026-11-23T12:00:00Z");
let catalogue: Catalogue;
beforeAll(async () => {
  catalogue = await shippedCatalogue();
}, 60_000);

const currencyId = (reference: string): number =>
  found(catalogue.currencyByCodeOrReference(reference)).id;

interface Words {
  readonly spend?: string;
  readonly receive?: string;
  readonly payment?: string;
  readonly delivery?: string;
  readonly amount?: bigint;
}

function wish(words: Words, changes: Partial<ExchangeWish> = {}): ExchangeWish {
  const { spend = "cad", receive = "btc", payment = "card", delivery, amount = 250n } = words;
  return {
    merchantId: "client_dev_A",
    operation: "buy",
    spendCurrencyId: currencyId(spend),
    receiveCurrencyId: currencyId(receive),
    paymentMethodId: found(catalogue.paymentMethodByReference(payment)).id,
    deliveryMethodId: delivery && found(catalogue.deliveryMethodByReference(delivery)).id,
    size: { side: "spend", amount: { units: amount, scale: 0 } },
    ...changes,
  } as ExchangeWish;
}

function resolved(words: Words, changes: Partial<ExchangeWish> = {}) {
  const result = resolveTerms({ catalogue, at: NOW }, wish(words, changes));
  if (!result.ok) throw new Error(result.refusal.message);
  return result.value;
}

const refusal = (words: Words, changes: Partial<ExchangeWish> = {}): string => {
  const result = resolveTerms({ catalogue, at: NOW }, wish(words, changes));
  return result.ok ? "granted" : result.refusal.code;
};

/** The catalogue with some members of its contents replaced. */
const changed = (contents: Partial<Catalogue>): Catalogue =>
  buildCatalogue({ ...catalogue, ...contents });

describe("what is not offered", () => {
  test.each<[string, Words, Partial<ExchangeWish>, string]>([
    ["an unknown currency", {}, { spendCurrencyId: -1 }, "CURRENCY_NOT_FOUND"],
    ["a currency for itself", { receive: "cad" }, {}, "UNSUPPORTED_PAIR"],
    ["fiat in a swap", {}, { operation: "crypto_to_crypto" }, "UNSUPPORTED_PAIR"],
    ["an unknown payment method", {}, { paymentMethodId: 999 }, "PAYMENT_METHOD_NOT_FOUND"],
    ["crypto to pay for crypto", { payment: "crypto" }, {}, "PAYMENT_METHOD_UNAVAILABLE"],
    ["Interac in euro", { payment: "interac", spend: "eur" }, {}, "PAYMENT_METHOD_UNAVAILABLE"],
    [
      "Interac in Germany",
      { payment: "interac" },
      { countryCode: "DE" },
      "PAYMENT_METHOD_UNAVAILABLE",
    ],
    ["a card in a country not served", {}, { countryCode: "KP" }, "PAYMENT_METHOD_UNAVAILABLE"],
    ["an unknown country", {}, { countryCode: "XX" }, "INVALID_COUNTRY"],
    ["SEPA for bitcoin", { delivery: "sepa" }, {}, "DELIVERY_METHOD_UNAVAILABLE"],
    ["an unknown delivery method", {}, { deliveryMethodId: 999 }, "DELIVERY_METHOD_UNAVAILABLE"],
    [
      "Pix to a customer in Canada",
      { spend: "btc", receive: "brl", payment: "crypto", delivery: "pix" },
      { operation: "sell", countryCode: "CA" },
      "DELIVERY_METHOD_UNAVAILABLE",
    ],
  ])("%s is refused", (_what, words, changes, code) => {
    expect(refusal(words, changes)).toBe(code);
  });

  test("a disabled coin, or one on a disabled network, is not found", () => {
    const without = changed({
      networks: catalogue.networks.map((it) => ({ ...it, enabled: it.code !== "bitcoin" })),
    });
    const result = resolveTerms({ catalogue: without, at: NOW }, wish({}));
    expect(result).toMatchObject({ refusal: { code: "CURRENCY_NOT_FOUND" } });
  });
});

describe("limits", () => {
  test("are the tightest, rounded inwards to two digits, in the currency spent", () => {
    const { limits } = resolved({});
    // 15 euro of the coin's own minimum at 1.6; 5,000 euro of the card's maximum.
    expect(describeMoney(limits.min)).toBe("24 CAD");
    expect(describeMoney(limits.max)).toBe("8000 CAD");
    expect(limits.minBoundBy).toBe("currency");
    expect(limits.maxBoundBy).toBe("payment_method");
  });

  test("of a currency without decimals are whole", () => {
    const { limits } = resolved({ spend: "jpy", receive: "sol" });
    expect(describeMoney(limits.min)).toBe("1700 JPY");
    expect(describeMoney(limits.max)).toBe("850000 JPY");
  });

  test("follow a country's where those are tighter", () => {
    const strict = changed({
      countries: catalogue.countries.map((it) =>
        it.code === "CA"
          ? { ...it, limits: { ...it.limits, maxEuro: { units: 100n, scale: 0 } } }
          : it,
      ),
    });
    const result = resolveTerms({ catalogue: strict, at: NOW }, wish({}, { countryCode: "ca" }));
    expect(result).toMatchObject({ value: { limits: { maxBoundBy: "country" } } });
  });

  test("rise to four times the fixed fees where nothing else asks for as much", () => {
    const costly = changed({
      pricingRules: catalogue.pricingRules.map((rule) => ({
        ...rule,
        fixedFeeEuro: { units: 20n, scale: 0 },
      })),
    });
    const result = resolveTerms({ catalogue: costly, at: NOW }, wish({}));
    expect(result).toMatchObject({ value: { limits: { minBoundBy: "fees" } } });
  });
});

describe("the pricing rule", () => {
  const rule = (reference: string, selectors: Partial<PricingRule>): PricingRule => ({
    ...found(catalogue.pricingRules.find((it) => it.reference === "standard")),
    reference,
    ...selectors,
  });
  const chosen = (rules: readonly PricingRule[], merchantId = "client_dev_A"): string => {
    const result = resolveTerms(
      { catalogue: changed({ pricingRules: rules }), at: NOW },
      wish({}, { merchantId }),
    );
    return result.ok ? result.value.rule.reference : result.refusal.code;
  };

  test("goes by merchant, then payment method, then currency, then operation, then order", () => {
    const inOrder = [
      rule("merchant", { merchantId: "client_dev_A" }),
      rule("method", { paymentMethodReference: "card" }),
      rule("currency", { currency: "btc" }),
      rule("operation", { operation: "buy" }),
      rule("general", {}),
      rule("general-too", {}),
    ];
    for (let left = inOrder; left.length > 1; left = left.slice(1)) {
      const [first, ...others] = left;
      expect(chosen([...others, found(first)])).toBe(
        left.length === 2 ? "general-too" : found(first).reference,
      );
    }
  });

  test("of another merchant, method, currency or operation never holds", () => {
    const others = [
      rule("merchant", { merchantId: "client_dev_B" }),
      rule("method", { paymentMethodReference: "sepa" }),
      rule("currency", { currency: "eth" }),
      rule("operation", { operation: "sell" }),
      rule("withdrawn", { merchantId: "client_dev_A", enabled: false }),
      rule("general", {}),
    ];
    expect(chosen(others)).toBe("general");
    expect(chosen(others, "client_dev_B")).toBe("merchant");
  });
});

describe("without a delivery method", () => {
  const sell = (amount: bigint, receive = "eur") =>
    resolved({ spend: "usdt-tron", receive, payment: "crypto", amount }, { operation: "sell" })
      .deliveryMethod.reference;

  test("coins go over their chain", () => {
    expect(resolved({}).deliveryMethod.reference).toBe("blockchain_transfer");
  });

  test("the cheapest that takes the amount is chosen", () => {
    expect(sell(100n)).toBe("sepa");
    expect(sell(14n)).toBe("card_push");
  });
});

describe("listings", () => {
  const country = (code: string) => found(catalogue.country(code));

  test("have fiat and coins where the operation uses them", () => {
    const of = (operation: ExchangeWish["operation"]) =>
      listCurrencies(catalogue, { operation, country: country("CA") });
    expect(of("buy").crypto.length).toBeGreaterThanOrEqual(30);
    expect(of("buy").fiat.length).toBeGreaterThanOrEqual(30);
    expect(of("crypto_to_crypto").fiat).toEqual([]);
    expect(of("fiat_to_fiat").crypto).toEqual([]);
  });

  test("of payment methods are those of the country, and each can be quoted", () => {
    const listed = listPaymentMethods(catalogue, { operation: "buy", country: country("CA") });
    const references = listed.map(({ paymentMethod }) => paymentMethod.reference);
    expect(references).toEqual(expect.arrayContaining(["card", "interac"]));
    expect(references).not.toContain("sepa");
    for (const payment of references) {
      expect(refusal({ payment }, { countryCode: "CA" })).toBe("granted");
    }
  });

  test("are empty for a country that is not served", () => {
    const question = { operation: "buy", country: country("KP") } as const;
    expect(listPaymentMethods(catalogue, question)).toEqual([]);
    expect(listCurrencies(catalogue, question)).toEqual({ crypto: [], fiat: [] });
  });
});
