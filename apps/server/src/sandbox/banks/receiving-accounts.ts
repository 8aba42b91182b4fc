import type { ReceivingAccount } from "../../domain/ports/bank-gateway.ts";
import {
  belgianAccount,
  clabeOf,
  ibanOf,
  polishBankOf,
  routingNumberOf,
} from "./account-numbers.ts";

type Line = ReceivingAccount["lines"][number];

const HOLDER = "Exchange Sandbox";
const EMAIL = "payments@bank.example";

const line = (label: string, value: string): Line => ({ label, value });
const to = (...lines: readonly Line[]): readonly Line[] => [
  line("Account holder", HOLDER),
  ...lines,
];

const GERMAN_IBAN = ibanOf("DE", "999999990123456789");
const BRITISH_IBAN = ibanOf("GB", "SBOX10880000012345");
const BIC_GERMAN = "SBOXDEFFXXX";

const sepa = to(
  line("IBAN", GERMAN_IBAN),
  line("BIC", BIC_GERMAN),
  line("Bank", "Sandbox Bank, Frankfurt"),
);

/** The sandbox's account for each payment method. The reference tells the orders of one account apart. */
const ACCOUNTS: Readonly<Record<string, readonly Line[]>> = {
  sepa,
  sepa_instant: sepa,
  ideal: to(line("IBAN", ibanOf("NL", "SBOX0123456789")), line("BIC", "SBOXNL2AXXX")),
  bancontact: to(
    line("IBAN", ibanOf("BE", belgianAccount("9990123456"))),
    line("BIC", "SBOXBEBBXXX"),
  ),
  blik: to(line("IBAN", ibanOf("PL", `${polishBankOf("9990000")}0000123456789012`))),
  faster_payments: to(line("Sort code", "10-88-00"), line("Account number", "00012345")),
  ach: to(
    line("Routing number", routingNumberOf("11000000")),
    line("Account number", "000123456789"),
    line("Account type", "Checking"),
  ),
  interac: to(line("Email", EMAIL)),
  pix: to(line("Pix key", EMAIL)),
  upi: to(line("UPI ID", "exchange@sandboxbank")),
  spei: to(line("CLABE", clabeOf("99918000001234567"))),
  payid: to(line("PayID", EMAIL)),
};

/** An international transfer goes to the account of its currency, or to the German one. */
const WIRES: Readonly<Record<string, readonly Line[]>> = {
  GBP: to(line("IBAN", BRITISH_IBAN), line("BIC", "SBOXGB2LXXX")),
  USD: to(
    line("Account number", "000123456789"),
    line("Routing number", routingNumberOf("11000000")),
    line("BIC", "SBOXUS33XXX"),
  ),
};
const WIRE = to(line("IBAN", GERMAN_IBAN), line("BIC", BIC_GERMAN));

/** A method without an account of its own is paid like an international transfer. */
export const receivingAccountOf = (method: string, currencyCode: string): ReceivingAccount => ({
  lines: ACCOUNTS[method] ?? WIRES[currencyCode] ?? WIRE,
});
