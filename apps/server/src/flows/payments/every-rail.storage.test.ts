import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { DeliveryMethod, PaymentMethod } from "../../domain/catalogue/methods.ts";
import { checkLedger } from "../../storage/ledger/checks.ts";
import { found, shippedCatalogue } from "../../testing/catalogue.ts";
import { makeOrderWorld, ORDERS, type OrderWorld } from "../../testing/orders.ts";

// Orders mostly wait for rails, so many of them run at the same time.
vi.setConfig({ maxConcurrency: 10 });

const { deliveryMethods, paymentMethods } = await shippedCatalogue();

let world: OrderWorld;
beforeAll(async () => {
  world = await makeOrderWorld();
});
afterAll(async () => {
  expect(await checkLedger(world.database)).toMatchObject({ problems: [] });
  await world.close();
});

/** A valid value for each field that a delivery method may require. */
const FIELDS: Readonly<Record<string, string>> = {
  accountHolder: "Ada Lovelace",
  iban: "DE89370400440532013000",
  bic: "COBADEFFXXX",
  bankAccount: "DE89370400440532013000",
  bankName: "Commerzbank",
  sortCode: "108800",
  ukAccountNumber: "00012345",
  usRoutingNumber: "110000000",
  usAccountNumber: "000123456789",
  canadianInstitution: "001",
  canadianTransit: "12345",
  canadianAccountNumber: "1234567",
  email: "ada@shop.example",
  phone: "+254712345678",
  pixKey: "ada@shop.example",
  cpf: "52998224725",
  clabe: "032180000118359719",
  upiId: "ada@examplebank",
  payId: "ada@shop.example",
  pickupCity: "Nairobi",
};

const paidOut = deliveryMethods.filter(({ type }) => type !== "on_chain");

test.concurrent.each(paidOut.map((method) => [method.name, method] as const))(
  "%s pays a sale out",
  async (_name, method) => {
    const placed = await world.order({
      ...ORDERS.sell,
      amount: "0.2",
      receive: currencyOf(method),
      delivery: method.reference,
      request: { ...ORDERS.sell.request, payout: await fieldsOf(method) },
    });
    await world.pay(placed);
    const done = await world.untilStatus(placed, "completed");
    const isCash = method.type === "cash_pickup";
    expect(/^[2-9A-Z]{4}(-[2-9A-Z]{4}){2}$/.test(done.payout?.transactionHash ?? "")).toBe(isCash);
  },
);

const paidBy = paymentMethods.filter(
  ({ type, operations }) => type === "bank_transfer" && operations.size > 0,
);

test.concurrent.each(paidBy.map((method) => [method.name, method] as const))(
  "%s pays for a purchase",
  async (_name, method) => {
    const spend = currencyOf(method);
    const perEuro = found(world.deps.catalogue().currencyByCodeOrReference(spend)).perEuro;
    // About three hundred euro in any currency.
    const amount = String((300n * perEuro.units) / 10n ** BigInt(perEuro.scale));
    const placed = await world.order({
      ...ORDERS.buyByBank,
      spend,
      amount,
      method: method.reference,
    });
    expect(placed.instruction?.account.length).toBeGreaterThanOrEqual(2);
    await world.pay(placed);
    await world.untilStatus(placed, "completed");
  },
);

const currencyOf = ({ currencyCodes }: DeliveryMethod | PaymentMethod): string =>
  ([...(currencyCodes ?? [])][0] ?? "EUR").toLowerCase();

async function fieldsOf({ requiredFields }: DeliveryMethod): Promise<Record<string, string>> {
  const fields: Record<string, string> = {};
  for (const { name } of requiredFields) {
    fields[name] = name === "cardToken" ? await cardToken() : found(FIELDS[name]);
  }
  return fields;
}

async function cardToken(): Promise<string> {
  const details = { expiryMonth: 12, expiryYear: 2099, cvv: "123", holderName: "Ada" };
  const tokens = found(world.deps.cardProcessor?.tokens);
  const card = await tokens.tokenize({ ...details, number: "4000000000002701" }, new Date());
  if ("refused" in card) throw new Error(card.refused);
  return card.token;
}
