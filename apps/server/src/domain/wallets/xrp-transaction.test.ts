import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { describe, expect, test } from "vitest";
import { xrpAddressOfKey } from "./xrp-address.ts";
import { prepareXrp, readSignedXrp, type XrpTransaction } from "./xrp-transaction.ts";

/** The prepared payment of xrpl.js's own tests, with its bytes and its hash. */
const PUBLISHED = {
  bytes:
    "12000022800000002400000017201B008694F261400000000000000168400000000000000C732102F89EAEC7667B30F33D0687BBA86C3FE2A08CCA40A9186C5BDE2DAA6FA97A37D874473045022100A9C91D4CFAE45686146EE0B56D4C53A2E7C2D672FB834D43E0BE2D2E9106519A022075DDA2F92DE552B0C45D83D4E6D35889B3FBF51BFBBD9B25EBF70DE3C96D0D6681145E7B112523F68D2F5E879DB4EAC51C6698A693048314FDB08D07AAA0EB711793A3027304D688E10C3648",
  hash: "88D6B913C66279EA31ADC25C5806C48B2D4E5680261666790A736E1961217700",
  transaction: {
    account: "r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk59",
    sequence: 23,
    lastLedger: 8_819_954,
    fee: 12n,
    networkId: 0,
    payment: { to: "rQ3PTWGLCbPz8ZCicV5tCX3xuymojTng5r", tag: null, units: 1n },
  },
};
const KEY = hexToBytes("11".repeat(32));
const ACCOUNT = xrpAddressOfKey(
  hexToBytes("034f355bdcb7cc0af728ef3cceb9615d90684bb5b2ca5f859ab0f0b704075871aa"),
);
const TO = PUBLISHED.transaction.payment.to;
const payment = (changes: Partial<XrpTransaction> = {}): XrpTransaction => ({
  account: ACCOUNT,
  sequence: 7,
  lastLedger: 1_000,
  fee: 10n,
  networkId: 0,
  payment: { to: TO, tag: 4_294_967_295, units: 10n ** 17n },
  ...changes,
});
const signed = (changes?: Partial<XrpTransaction>) => prepareXrp(payment(changes), KEY).sign();

describe("a transaction of the XRP Ledger", () => {
  test("that xrpl.js published is read with its hash", () => {
    expect(readSignedXrp(hexToBytes(PUBLISHED.bytes.toLowerCase()), 0)).toEqual({
      ...PUBLISHED.transaction,
      hash: PUBLISHED.hash,
      // The key of that test is not the account's own.
      signer: "r3GgMwvgvP8h4yVWvjH1dPZNvC37TjzBBE",
    });
  });

  test.each([
    {},
    { payment: { to: TO, tag: null, units: 1n } },
    { payment: { to: TO, tag: 0, units: 12_345_678n } },
    { payment: null },
    { networkId: 1_025 },
  ])("is read as it was written: %o", (changes) => {
    const { bytes, hash } = signed(changes);
    const networkId = changes.networkId ?? 0;
    expect(readSignedXrp(bytes, networkId)).toEqual({ ...payment(changes), hash, signer: ACCOUNT });
  });

  test("has the same bytes each time it is signed", () => {
    expect(signed().bytes).toEqual(signed().bytes);
  });

  test("names the account whose key signed it, even if it is another one", () => {
    const { bytes } = signed({ account: TO });
    expect(readSignedXrp(bytes, 0)).toMatchObject({ account: TO, signer: ACCOUNT });
  });

  test.each([
    ["a flag that lets the receiver have less", /^12000022 ?80000000/, "12000022 80020000"],
    ["another amount", "6141634578", "6141634577"],
    ["another tag", "2effffffff", "2efffffffe"],
    ["another sequence", "2400000007", "2400000008"],
    ["a repeated field", "2400000007", "24000000072400000007"],
    ["an unknown field", "2400000007", "23000000012400000007"],
    ["another destination", /(8314.*)..$/, "$100"],
  ])("with %s is refused", (_, from, to) => {
    const text = bytesToHex(signed().bytes);
    const changed = text.replace(from, to.replaceAll(" ", ""));
    expect(changed).not.toBe(text);
    expect(() => readSignedXrp(hexToBytes(changed), 0)).toThrow();
  });

  test.each([
    { sequence: 2 ** 32 },
    { fee: 0n },
    { payment: { to: TO, tag: 2 ** 32, units: 1n } },
    { payment: { to: TO, tag: null, units: 10n ** 17n + 1n } },
    { payment: { to: "0x0000000000000000000000000000000000000001", tag: null, units: 1n } },
  ])("that the ledger cannot hold is not written: %o", (changes) => {
    expect(() => signed(changes)).toThrow();
  });
});
