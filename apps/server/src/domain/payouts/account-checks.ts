import aba from "abavalidator";
import { clabe } from "clabe-validator";
import { cnpj, cpf } from "cpf-cnpj-validator";
import { isValidBIC, isValidIBAN } from "ibantools";

/**
 * Checks beyond the pattern of a payout field, by the field's name in `payout-fields.json`. A payout cannot
 * be undone, so an account is checked as strictly as its format allows, like a wallet address. A Mexican
 * bank's code is not checked: a list of banks grows old, and a new bank's customers would be refused.
 */
const CHECKS: Readonly<Record<string, (value: string) => boolean>> = {
  iban: (value) => isValidIBAN(value),
  bic: isValidBIC,
  bankAccount: (value) => !looksLikeIban(value) || isValidIBAN(value),
  usRoutingNumber: isRoutingNumber,
  clabe: (value) => clabe.validate(value).valid.format,
  cpf: isTaxNumber,
  pixKey: isPixKey,
};

/** Returns whether the value can name an account. Fields without a check of their own pass. */
export const isPayoutFieldValid = (name: string, value: string): boolean =>
  CHECKS[name]?.(value) ?? true;

/** ISO 13616: a country code and two check digits. No local account number has this form. */
const looksLikeIban = (value: string): boolean => /^[A-Z]{2}[0-9]{2}[A-Z0-9]{8,}$/.test(value);

/**
 * Prefixes of the Federal Reserve's districts, thrift institutions, electronic transfers and
 * traveler's checks.
 */
const ROUTING_PREFIX = /^(0[0-9]|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)/;

function isRoutingNumber(value: string): boolean {
  return ROUTING_PREFIX.test(value) && aba.validate(value);
}

/** A person's CPF or a company's CNPJ, which may hold letters since July 2026. */
function isTaxNumber(value: string): boolean {
  return cpf.isValid(value) || cnpj.isValid(value);
}

const EMAIL = /^[^@\s]+@[^@\s]+\.[^@\s]+$/;
const PHONE = /^\+[1-9][0-9]{6,14}$/;
const RANDOM_KEY = /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;

/** The four kinds of key that Brazil's central bank issues: tax number, email, phone and random. */
function isPixKey(value: string): boolean {
  return EMAIL.test(value) || PHONE.test(value) || RANDOM_KEY.test(value) || isTaxNumber(value);
}
