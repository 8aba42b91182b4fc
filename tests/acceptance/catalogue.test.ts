import type { ExchangeCurrencies, PaymentMethodItem } from "@exchange/contract";
import { beforeAll, describe, expect, inject, test } from "vitest";
import type { ErrorAnswer } from "../support/http/api.ts";
import { createMerchant, type Merchant, merchantCall } from "../support/orders/merchant.ts";
import type { Ok } from "../support/orders/purchase.ts";

const service = inject("service");
let merchant: Merchant;
beforeAll(async () => {
  merchant = await createMerchant(service);
});

const get = <Body>(path: string) => merchantCall<Body>(service, merchant, { path: `/v1${path}` });
const currencies = (operationType: string) =>
  get<Ok<ExchangeCurrencies>>(`/exchange/currencies?operationType=${operationType}&countryCode=CA`);
const methods = (query: string) => get<Ok<PaymentMethodItem[]>>(`/payment-methods?${query}`);

describe("currencies", () => {
  test.each([
    ["B", true, true],
    ["S", true, true],
    ["CC", true, false],
    ["FF", false, true],
  ])("of %s have the lists that the operation can use", async (operation, crypto, fiat) => {
    const { status, body } = await currencies(operation);
    expect(status).toBe(200);
    expect({ success: body.success, code: body.code }).toEqual({ success: true, code: "ok" });
    expect(body.data.cryptoCurrencies.length > 0).toBe(crypto);
    expect(body.data.fiatCurrencies.length > 0).toBe(fiat);
  });

  test("there are 30 fiat currencies, 30 coins on networks, and 8 networks at least", async () => {
    const { cryptoCurrencies, fiatCurrencies } = (await currencies("B")).body.data;
    expect(fiatCurrencies.length).toBeGreaterThanOrEqual(30);
    expect(cryptoCurrencies.length).toBeGreaterThanOrEqual(30);
    const networks = new Set(cryptoCurrencies.map((item) => item.networkCode));
    expect(networks.size).toBeGreaterThanOrEqual(8);
  });

  test("items have the documented types, and ids and references are unique", async () => {
    const { cryptoCurrencies, fiatCurrencies } = (await currencies("B")).body.data;
    for (const item of cryptoCurrencies) {
      expect(item).toMatchObject({ type: "C", shortName: null, code: expect.any(String) });
    }
    for (const item of fiatCurrencies) {
      expect(item).toMatchObject({ type: "F", shortName: expect.any(String) });
      expect(item.reference).toBe(item.code.toLowerCase());
    }
    const all = [...cryptoCurrencies, ...fiatCurrencies];
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(new Set(all.map(({ reference }) => reference)).size).toBe(all.length);
    expect(all.every(({ decimals }) => decimals <= 8)).toBe(true);
  });
});

describe("payment methods", () => {
  const referencesIn = async (countryCode: string): Promise<string[]> => {
    const { body } = await methods(`operationType=B&countryCode=${countryCode}`);
    return body.data.map(({ reference }) => reference);
  };

  test("have the documented fields", async () => {
    const { status, body } = await methods("operationType=B&countryCode=CA");
    expect(status).toBe(200);
    expect({ success: body.success, code: body.code }).toEqual({ success: true, code: "ok" });
    for (const item of body.data) {
      expect(Number.isInteger(item.id)).toBe(true);
      expect(item).toMatchObject({ live: false, name: expect.any(String) });
      expect(item.reference).toMatch(/^[a-z0-9_-]+$/);
      expect(item.deliveryMethods).toBeUndefined();
    }
  });

  test("are those of the country", async () => {
    const [canada, germany, brazil] = await Promise.all(["CA", "DE", "BR"].map(referencesIn));
    expect(canada).toEqual(expect.arrayContaining(["card", "interac"]));
    expect(germany).toEqual(expect.arrayContaining(["card", "sepa"]));
    expect(brazil).toEqual(expect.arrayContaining(["card", "pix"]));
    expect(germany).not.toContain("interac");
    expect(canada).not.toContain("pix");
  });

  test.each(["S", "CC"])("of %s is crypto alone", async (operation) => {
    const { body } = await methods(`operationType=${operation}&countryCode=CA`);
    expect(body.data.map(({ reference }) => reference)).toEqual(["crypto"]);
  });

  test("have their delivery methods when the query asks for them, and otherwise not", async () => {
    const query = "operationType=B&countryCode=CA&includeDeliveryMethods=";
    const [withDelivery, declined] = [
      await methods(`${query}true`),
      await methods(`${query}false`),
    ];
    expect(withDelivery.body.data.every((item) => (item.deliveryMethods?.length ?? 0) > 0)).toBe(
      true,
    );
    expect(declined.body.data.some((item) => "deliveryMethods" in item)).toBe(false);
  });
});

describe.each(["/payment-methods", "/exchange/currencies"])("bad queries of %s", (path) => {
  test.each([
    ["operationType=B", "INVALID_INPUT"],
    ["countryCode=CA", "INVALID_INPUT"],
    ["", "INVALID_INPUT"],
    ["operationType=&countryCode=CA", "INVALID_OPERATION_TYPE"],
    ["operationType=X&countryCode=CA", "INVALID_OPERATION_TYPE"],
    ["operationType=b&countryCode=CA", "INVALID_OPERATION_TYPE"],
    ["operationType=B&countryCode=", "INVALID_COUNTRY"],
    ["operationType=B&countryCode=XX", "INVALID_COUNTRY"],
    ["operationType=B&countryCode=CAN", "INVALID_COUNTRY"],
    ["operationType=B&countryCode=C%00", "INVALID_COUNTRY"],
  ])("%s is %s", async (query, code) => {
    const { status, body } = await get<ErrorAnswer>(`${path}?${query}`);
    expect([status, body.code]).toEqual([400, code]);
  });
});

test("includeDeliveryMethods takes true and false only", async () => {
  const query = "operationType=B&countryCode=CA&includeDeliveryMethods=yes";
  const { status, body } = await get<ErrorAnswer>(`/payment-methods?${query}`);
  expect([status, body.code]).toEqual([400, "INVALID_INPUT"]);
});
