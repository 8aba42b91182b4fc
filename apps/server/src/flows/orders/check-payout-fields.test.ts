import { expect, test } from "vitest";
import { found, shippedCatalogue } from "../../testing/catalogue.ts";
import { checkPayoutFields, maskPayoutFields } from "./check-payout-fields.ts";

const catalogue = await shippedCatalogue();
const method = (reference: string) => found(catalogue.deliveryMethodByReference(reference));
const SEPA = { accountHolder: "Ada Lovelace", iban: "DE89370400440532013000" };

test("spaces and small letters of an account number are tidied, names stay as they are", () => {
  const payoutFields = { accountHolder: "  Ada Lovelace ", iban: "de89 3704 0044 0532 0130 00" };
  expect(checkPayoutFields(method("sepa"), payoutFields)).toEqual(SEPA);
});

test("a name keeps the spaces between its words, of whatever kind they are", () => {
  const named = (accountHolder: string) =>
    checkPayoutFields(method("sepa"), { ...SEPA, accountHolder });
  expect(named("Ada\u00a0 Lovelace")).toEqual(SEPA);
  expect(named("Ada\tLovelace")).toEqual(SEPA);
  expect(() => named(`Ada${" -".repeat(40)} Lovelace`)).toThrow("not a valid value");
});

test.each([
  ["nothing at all", undefined, ["accountHolder", "iban"]],
  ["a wrong check digit", { ...SEPA, iban: "DE88370400440532013000" }, ["iban"]],
  ["a field nobody asked for", { ...SEPA, swift: "X" }, ["swift"]],
  ["an empty name", { ...SEPA, accountHolder: "  " }, ["accountHolder"]],
] as const)("%s is refused, each field by its path", (_what, payoutFields, wrong) => {
  const check = () => checkPayoutFields(method("sepa"), payoutFields);
  expect(check).toThrow(
    expect.objectContaining({
      code: "INVALID_INPUT",
      details: wrong.map((name) => expect.objectContaining({ field: `payout.${name}` })),
    }),
  );
});

test("people see who is paid and the last signs of where, and nothing of a card's token", () => {
  expect(maskPayoutFields({ ...SEPA, sortCode: "123456", cardToken: "card_0123456789" })).toEqual({
    accountHolder: "Ada Lovelace",
    iban: "•••• 3000",
    sortCode: "•••• 456",
  });
});
