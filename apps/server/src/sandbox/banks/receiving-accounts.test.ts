import { expect, test } from "vitest";
import { found, shippedCatalogue } from "../../testing/catalogue.ts";
import { clabeOf, ibanOf, routingNumberOf } from "./account-numbers.ts";
import { receivingAccountOf } from "./receiving-accounts.ts";

const valueOf = (method: string, label: string, currency = "EUR"): string =>
  found(receivingAccountOf(method, currency).lines.find((line) => line.label === label)).value;

/** ISO 7064 as a form checks it: the first four signs behind, letters as numbers, 1 modulo 97. */
const isIban = (iban: string): boolean => {
  const turned = `${iban.slice(4)}${iban.slice(0, 4)}`;
  const digits = Array.from(turned, (sign) => Number.parseInt(sign, 36)).join("");
  return BigInt(digits) % 97n === 1n;
};

test("known account numbers get the check digits they are known by", () => {
  expect(ibanOf("DE", "370400440532013000")).toBe("DE89370400440532013000");
  expect(ibanOf("GB", "WEST12345698765432")).toBe("GB82WEST12345698765432");
  expect(routingNumberOf("02100002")).toBe("021000021");
  expect(clabeOf("03218000011835971")).toBe("032180000118359719");
});

test("every IBAN shown is valid and has its country's length", () => {
  const lengths = { DE: 22, NL: 18, BE: 16, PL: 28, GB: 22 };
  const ibans = ["sepa", "sepa_instant", "ideal", "bancontact", "blik", "wire"]
    .map((method) => valueOf(method, "IBAN"))
    .concat(valueOf("wire", "IBAN", "GBP"));
  for (const iban of ibans) {
    expect(isIban(iban), iban).toBe(true);
    expect(iban).toHaveLength(lengths[iban.slice(0, 2) as keyof typeof lengths]);
  }
  expect(isIban("DE89370400440532013001")).toBe(false);
});

test("a Belgian account has its national check digits too", () => {
  const account = valueOf("bancontact", "IBAN").slice(4);
  expect(Number(BigInt(account.slice(0, 10)) % 97n || 97n)).toBe(Number(account.slice(10)));
});

test("a routing number's weighted digits make a multiple of ten", () => {
  const digits = Array.from(valueOf("ach", "Routing number", "USD"), Number);
  const sum = digits.reduce(
    (total, digit, index) => total + digit * found([3, 7, 1][index % 3]),
    0,
  );
  expect([digits.length, sum % 10]).toEqual([9, 0]);
});

test("every way to pay by bank has an account with its holder", async () => {
  const { paymentMethods } = await shippedCatalogue();
  const ways = paymentMethods.filter(({ type }) => type === "bank_transfer");
  expect(ways.length).toBeGreaterThan(10);
  for (const { reference } of ways) {
    expect(receivingAccountOf(reference, "EUR").lines.length).toBeGreaterThanOrEqual(2);
    expect(valueOf(reference, "Account holder")).toBe("Exchange Sandbox");
  }
  for (const currency of ["USD", "EUR", "GBP", "CAD", "JPY"]) {
    expect(receivingAccountOf("wire", currency).lines.length).toBeGreaterThanOrEqual(3);
  }
});
