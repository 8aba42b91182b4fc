import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { expect, test } from "vitest";
import { checkAddress } from "../../../domain/wallets/check-address.ts";
import { readTronDepositAccount, toEvmForm, toNodeForm, toTronForm } from "./addresses.ts";
import { readInstruction } from "./raw-data.ts";

/** A transfer of 1000 units, as a node printed it for the documentation of its interface. */
const HEAD = "0a025e4b220847c9dc89341b300d40f8fed3a2a72e";
const TYPE =
  "0a2d747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e5472616e73666572436f6e7472616374";
const OWNER = "0a1541608f8da72479edc7dd921e4c30bb7e7cddbe722e";
const TO = "121541e9d79cc47518930bc322d9bf7cddd260a0260a8d";
const AMOUNT = "18e807";
const TAIL = "7093afd0a2a72e";

const length = (hex: string): string => (hex.length / 2).toString(16).padStart(2, "0");
/** Returns a transfer whose parts are replaced. All lengths fit in one byte. */
function transfer(parts: { readonly [part in "kind" | "type" | "fields" | "tail"]?: string } = {}) {
  const { kind = "0801", type = TYPE, fields = `${OWNER}${TO}${AMOUNT}`, tail = TAIL } = parts;
  const parameter = `${type}12${length(fields)}${fields}`;
  const contract = `${kind}12${length(parameter)}${parameter}`;
  return hexToBytes(`${HEAD}5a${length(contract)}${contract}${tail}`);
}
const owner = "0x608f8da72479edc7dd921e4c30bb7e7cddbe722e";

test("a transfer of TRX is read from the bytes that a node hashes", () => {
  const whole =
    "0a025e4b220847c9dc89341b300d40f8fed3a2a72e5a66080112620a2d747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e5472616e73666572436f6e747261637412310a1541608f8da72479edc7dd921e4c30bb7e7cddbe722e121541e9d79cc47518930bc322d9bf7cddd260a0260a8d18e8077093afd0a2a72e";
  expect(bytesToHex(transfer())).toBe(whole);
  expect(readInstruction(hexToBytes(whole))).toEqual({
    owner,
    transfer: { to: "0xe9d79cc47518930bc322d9bf7cddd260a0260a8d", units: 1_000n },
  });
  expect(sha256(hexToBytes(whole))).toHaveLength(32);
});

test("the amount has up to 63 bits, and a negative one is no payment", () => {
  const largest = transfer({ fields: `${OWNER}${TO}18ffffffffffffffff7f` });
  expect(readInstruction(largest)?.transfer?.units).toBe(2n ** 63n - 1n);
  const negative = transfer({ fields: `${OWNER}${TO}18ffffffffffffffffff01` });
  expect(readInstruction(negative)).toBeUndefined();
});

const OTHER_TYPE = TYPE.replace("436f6e7472616374", "416e6f7468657221");

test.each([
  ["another number", { kind: "0802" }],
  ["no number", { kind: "" }],
  ["another name", { type: OTHER_TYPE }],
])("an instruction with %s moves no TRX, and has an owner", (_, parts) => {
  expect(readInstruction(transfer(parts))).toEqual({ owner });
});

test.each([
  ["two amounts", { fields: `${OWNER}${TO}${AMOUNT}18e907` }],
  ["two receivers", { fields: `${OWNER}${TO}${TO}${AMOUNT}` }],
  ["no receiver", { fields: `${OWNER}${AMOUNT}` }],
  ["no amount", { fields: `${OWNER}${TO}` }],
  ["two numbers", { kind: "08010801" }],
  ["two instructions", { tail: `5a020801${TAIL}` }],
  ["an address of another length", { fields: `${OWNER}121441${"11".repeat(19)}${AMOUNT}` }],
  ["an address of another network", { fields: `${OWNER}121542${"11".repeat(20)}${AMOUNT}` }],
  ["a fixed number", { tail: `71${"00".repeat(8)}` }],
  ["a field that is cut off", { tail: "5205aa" }],
  ["a number that does not end", { tail: `70${"ff".repeat(11)}` }],
])("a transaction with %s is left alone", (_, parts) => {
  expect(readInstruction(transfer(parts))).toBeUndefined();
});

test("an address has three forms, and is derived as wallets do it", () => {
  const address = "TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH";
  // The account m/44'/195'/0' of the mnemonic "abandon … about".
  const account = readTronDepositAccount(
    "xpub6D1AabNHCupeiLM65ZR9UStMhJ1vCpyV4XbZdyhMZBiJXALQtmn9p42VTQckoHVn8WNqS7dqnJokZHAHcHGoaQgmv8D45oNUKx6DZMNZBCd",
  );
  expect(account.addressAt(0)).toBe(address);
  expect(checkAddress("tron", account.addressAt(1))).toBe(true);
  expect(toTronForm(toEvmForm(address))).toBe(address);
  expect(toNodeForm(toEvmForm("TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"))).toBe(
    "41a614f803b6fd780986a42c78ec9c7f77e6ded13c",
  );
  // An address of Bitcoin has another first byte.
  expect(() => toEvmForm("1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2")).toThrow("is not of Tron");
});
