import { describe, expect, test } from "vitest";
import { brandOf, groupNumber } from "./brand.ts";
import {
  codeLengthOf,
  findNumberFault,
  formatExpiry,
  hasExpired,
  passesLuhn,
  readExpiry,
} from "./rules.ts";

const TEST_NUMBERS = ["4000 0000 0000 2701", "5200000000002235", "340000000002708"];
describe("a card number", () => {
  test.each(TEST_NUMBERS)("%s is a test card and passes", (number) => {
    expect(findNumberFault(number, TEST_NUMBERS)).toBeUndefined();
  });

  test("a listed test card passes with spaces, dashes or neither", () => {
    expect(findNumberFault("4000-0000-0000-2701", TEST_NUMBERS)).toBeUndefined();
    expect(findNumberFault(" 4000000000002701 ", TEST_NUMBERS)).toBeUndefined();
  });

  test.each(["4242 4242 4242 4242", "378282246310005", "6011111111111117", "5555555555554444"])(
    "%s is refused as a real card",
    (number) => {
      expect(findNumberFault(number, TEST_NUMBERS)).toBe("real_card");
    },
  );

  test("a wrong check digit or length is a typing error", () => {
    expect(findNumberFault("4242 4242 4242 4241", TEST_NUMBERS)).toBe("mistyped");
    expect(findNumberFault("4242", TEST_NUMBERS)).toBe("mistyped");
    expect(findNumberFault("4000 0000 0000 270x", TEST_NUMBERS)).toBe("mistyped");
  });

  test("an empty number is named as such", () => {
    expect(findNumberFault("  ", TEST_NUMBERS)).toBe("empty");
  });

  test("no card passes where no test card is listed, as in production", () => {
    expect(findNumberFault("4242424242424242", [])).toBe("real_card");
    expect(findNumberFault("4000000000002701", [])).toBe("real_card");
  });
});

test("the check digit is Luhn's", () => {
  expect(passesLuhn("79927398713")).toBe(true);
  expect(passesLuhn("79927398710")).toBe(false);
  expect(passesLuhn("")).toBe(false);
});

test("the first digits tell the network", () => {
  expect(brandOf("4")).toBe("visa");
  expect(brandOf("2221")).toBe("mastercard");
  expect(brandOf("2220")).toBeUndefined();
  expect(brandOf("2720")).toBe("mastercard");
  expect(brandOf("2721")).toBeUndefined();
  expect(brandOf("34")).toBe("amex");
});

test("digits are grouped as on the card", () => {
  expect(groupNumber("4000000000002701")).toBe("4000 0000 0000 2701");
  expect(groupNumber("340000000002708")).toBe("3400 000000 02708");
  expect(groupNumber("400000")).toBe("4000 00");
});

describe("an expiry date", () => {
  test.each([
    ["01/27", 1, 2027],
    ["1/27", 1, 2027],
    ["0127", 1, 2027],
    ["01 / 2027", 1, 2027],
    ["12-2030", 12, 2030],
  ])("%s is read", (text, month, year) => {
    expect(readExpiry(text)).toEqual({ month, year });
  });

  test.each(["", "13/27", "00/27", "1", "abc", "01/2"])("%j is not a date", (text) => {
    expect(readExpiry(text)).toBeUndefined();
  });

  test("a card is valid until its month ends", () => {
    const today = new Date(2030, 4, 31);
    expect(hasExpired({ month: 5, year: 2030 }, today)).toBe(false);
    expect(hasExpired({ month: 4, year: 2030 }, today)).toBe(true);
    expect(hasExpired({ month: 12, year: 2029 }, today)).toBe(true);
  });

  test("the slash is added while typing and can be deleted", () => {
    expect(formatExpiry("12", "1")).toBe("12/");
    expect(formatExpiry("12", "12/")).toBe("12");
    expect(formatExpiry("1230", "")).toBe("12/30");
    expect(formatExpiry("5", "")).toBe("05/");
  });
});

test("American Express has four digits in its code", () => {
  expect(codeLengthOf("340000000002708")).toBe(4);
  expect(codeLengthOf("4000")).toBe(3);
});
