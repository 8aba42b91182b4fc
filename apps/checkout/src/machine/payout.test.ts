import { describe, expect, test } from "vitest";
import { type PayoutField, payoutCardOf, payoutFault, payoutOf, tidyPayout } from "./payout.ts";
import { makeDelivery, openAs } from "./testing.ts";

const field = (name: string, pattern: string): PayoutField => ({ name, label: name, pattern });
const IBAN = field("iban", "^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$");
const ACCOUNT = field("bankAccount", "^[A-Z0-9-]{4,34}$");
const HOLDER = field("accountHolder", "^[\\p{L}][\\p{L}\\p{M}0-9 .,'’&()-]{1,69}$");

describe("typed fields are normalized for the bank", () => {
  test.each([
    [IBAN, " de89 3704 0044 0532 0130 00 ", "DE89370400440532013000"],
    [field("sortCode", "^[0-9]{6}$"), "12-34-56", "123456"],
    [field("phone", "^\\+[1-9][0-9]{6,14}$"), "+44 (7700) 900-123", "+447700900123"],
    [field("cpf", "^([0-9]{11}|[0-9]{14})$"), "123.456.789-09", "12345678909"],
    [ACCOUNT, "12-345-678", "12-345-678"],
    [HOLDER, " Zoë d’Arc-Müller ", "Zoë d’Arc-Müller"],
  ])("%#: %j", (payoutField, typed, normalized) => {
    expect(tidyPayout(payoutField, typed)).toBe(normalized);
    expect(payoutFault(payoutField, typed)).toBeUndefined();
  });

  test("text that matches the pattern in no spelling stays as typed", () => {
    expect(tidyPayout(IBAN, " DE89 ")).toBe("DE89");
  });
});

describe("the fault of a field", () => {
  test("distinguishes an empty field, a wrong pattern and a wrong check digit", () => {
    expect(payoutFault(IBAN, "  ")).toBe("empty");
    expect(payoutFault(IBAN, "DE89")).toBe("invalid");
    expect(payoutFault(IBAN, "DE89 3704 0044 0532 0130 01")).toBe("checksum");
  });

  test("an IBAN is checked only in fields that may hold one", () => {
    expect(payoutFault(ACCOUNT, "DE89370400440532013001")).toBe("checksum");
    expect(payoutFault(ACCOUNT, "12345678")).toBeUndefined();
    expect(payoutFault(field("pixKey", "^[A-Z0-9]+$"), "DE89370400440532013001")).toBeUndefined();
  });

  test("a pattern that this browser cannot compile is left to the service", () => {
    expect(payoutFault(field("new", "^(?<a>[$"), "something")).toBeUndefined();
    expect(payoutFault(field("new", "^(?<a>[$"), "")).toBe("empty");
  });
});

describe("the payout of an order", () => {
  test("has the fields of its delivery method and of no other", () => {
    const delivery = makeDelivery({ id: 2, reference: "sepa", requiredFields: [HOLDER, IBAN] });
    const payout = { accountHolder: "Ada", iban: "de89370400440532013000", phone: "+491" };
    expect(payoutOf(openAs("S", { delivery, payout }))).toEqual({
      accountHolder: "Ada",
      iban: "DE89370400440532013000",
    });
  });

  test("goes to a card, also on the review, only if the delivery method needs a card", () => {
    const token = { cardToken: "tok_12345678", brand: "Visa", lastFour: "2701" };
    const payoutCard = { ...openAs("S").payoutCard, token };
    const cardToken = field("cardToken", ".*");
    const card = makeDelivery({
      id: 14,
      reference: "card_push",
      requiredFields: [HOLDER, cardToken],
    });
    const payout = { accountHolder: "Ada" };
    const toCard = openAs("S", { delivery: card, payoutCard, payout });
    expect(payoutOf(toCard)).toEqual({ accountHolder: "Ada", cardToken: "tok_12345678" });
    expect(payoutCardOf(toCard)).toBe(token);
    const bank = makeDelivery({ id: 2, reference: "sepa", requiredFields: [HOLDER] });
    const toBank = openAs("S", { delivery: bank, payoutCard, payout });
    expect(payoutOf(toBank)).toEqual(payout);
    expect(payoutCardOf(toBank)).toBeUndefined();
  });
});
