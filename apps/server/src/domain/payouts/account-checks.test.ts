import { describe, expect, test } from "vitest";
import { isPayoutFieldValid } from "./account-checks.ts";

const VALID: readonly (readonly [field: string, value: string])[] = [
  ["iban", "DE89370400440532013000"],
  ["iban", "FR1420041010050500013M02606"],
  ["iban", "GB29NWBK60161331926819"],
  ["iban", "NO9386011117947"],
  ["iban", "MT84MALT011000012345MTLCAST001S"],
  ["bic", "COBADEFFXXX"],
  ["bic", "DEUTDEFF"],
  ["bankAccount", "DE89370400440532013000"],
  ["bankAccount", "01-0902-0068389-00"],
  ["usRoutingNumber", "021000021"],
  ["usRoutingNumber", "110000000"],
  ["clabe", "032180000118359719"],
  ["cpf", "52998224725"],
  ["cpf", "11222333000181"],
  ["cpf", "12ABC34501DE35"],
  ["pixKey", "ada@shop.example"],
  ["pixKey", "+5511987654321"],
  ["pixKey", "529.982.247-25"],
  ["pixKey", "123e4567-e12b-12d3-a456-426655440000"],
  ["accountHolder", "Ada Lovelace"],
];

const WRONG: readonly (readonly [field: string, value: string, fault: string])[] = [
  ["iban", "DE89370400440532013001", "one wrong digit"],
  ["iban", "DE89370400440532010300", "two swapped digits"],
  ["iban", "DE89 3704 0044 0532 0130 00", "spaces"],
  ["iban", "de89370400440532013000", "small letters"],
  ["iban", "DE8937040044053201300", "the length of another country"],
  ["iban", "XX82WEST12345698765432", "a country without IBANs"],
  ["iban", "", "nothing"],
  ["bic", "COBAXXFF", "a country that does not exist"],
  ["bankAccount", "DE88370400440532013000", "an IBAN with a wrong check digit"],
  ["usRoutingNumber", "021000022", "a wrong check digit"],
  ["usRoutingNumber", "990000008", "a prefix that is not issued"],
  ["usRoutingNumber", "000000000", "zeros"],
  ["clabe", "032180000118359718", "a wrong check digit"],
  ["cpf", "52998224724", "a wrong check digit of a CPF"],
  ["cpf", "11222333000182", "a wrong check digit of a CNPJ"],
  ["cpf", "12ABC34501DE36", "a wrong check digit of a CNPJ with letters"],
  ["cpf", "11111111111", "eleven equal digits"],
  ["pixKey", "52998224724", "a wrong check digit of a CPF"],
  ["pixKey", "someone", "no kind of key"],
];

describe("the account that a payout goes to", () => {
  test.each(VALID)("%s accepts %s", (field, value) => {
    expect(isPayoutFieldValid(field, value)).toBe(true);
  });

  test.each(WRONG)("%s refuses %s: %s", (field, value) => {
    expect(isPayoutFieldValid(field, value)).toBe(false);
  });
});
