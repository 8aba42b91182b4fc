import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { expect, test } from "vitest";
import { checkAddress } from "../../../domain/wallets/check-address.ts";
import { toTronForm } from "../../../domain/wallets/tron.ts";
import { readTronDepositAccount, toEvmForm, toNodeForm } from "./addresses.ts";
import { readInstruction } from "./raw-data.ts";

/** A transfer of 1000 units, as a node printed it for the documentation of its interface. */
const HEAD = "0a025e4b220847c9dc89341b300d40f8fed3a2a72e";
const TYPE =
  "0a2d747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e5472616e73666572436f6e7472616374";
const OWNER = "0a1541608f8da72479edc7dd921e4c30bb7e7cddbe722e";
const TO = "121541e9d79cc47518930bc322d9bf7cddd260a0260a8d";
const AMOUNT = "18e807";
const TAIL = "7093afd0a2a72e";

const byte = (value: number): string => value.toString(16).padStart(2, "0");
function length(hex: string): string {
  const bytes = hex.length / 2;
  return bytes < 0x80 ? byte(bytes) : `${byte((bytes & 0x7f) | 0x80)}${byte(bytes >> 7)}`;
}
/** Returns a transfer whose parts are replaced. */
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

test("the amount has up to 63 bits, and a negative one is not a payment", () => {
  const largest = transfer({ fields: `${OWNER}${TO}18ffffffffffffffff7f` });
  expect(readInstruction(largest)?.transfer?.units).toBe(2n ** 63n - 1n);
  const negative = transfer({ fields: `${OWNER}${TO}18ffffffffffffffffff01` });
  expect(readInstruction(negative)).toBeUndefined();
});

const OTHER_TYPE = TYPE.replace("436f6e7472616374", "416e6f7468657221");

test.each([
  ["another number", { kind: "081f" }],
  ["no number", { kind: "" }],
  ["another name", { type: OTHER_TYPE }],
])("an instruction with %s moves no TRX, and has an owner", (_, parts) => {
  expect(readInstruction(transfer(parts))).toEqual({ owner });
});

const US = `41${"22".repeat(20)}`;

test.each(["02", "0a", "13"])("a name is not the account of an instruction %s", (kind) => {
  const fields = `0a15${US}1215${OWNER.slice(4)}`;
  expect(readInstruction(transfer({ kind: `08${kind}`, fields }))).toEqual({ owner });
});

// A node reads 32 bits of a tag, so `9880808010` is the tag `18` of an amount to it, and `8a80808010` is `0a`.
test.each([
  ["a tag of more than 32 bits", { fields: `${OWNER}${TO}${AMOUNT}988080801001` }],
  ["another owner under a long tag", { fields: `${OWNER}${TO}${AMOUNT}8a8080801015${US}` }],
  ["another owner of a call", { kind: "081f", fields: `${OWNER}8a8080801015${US}` }],
  ["an instruction under a long tag", { tail: `da80808010020801${TAIL}` }],
  ["a type under a long tag", { kind: "080188808080101f" }],
  ["a tag with a group too many", { fields: `${OWNER}${TO}988000e807` }],
  ["an amount with a group too many", { fields: `${OWNER}${TO}18e88700` }],
  ["a length with a group too many", { fields: `0a9500${OWNER.slice(4)}${TO}${AMOUNT}` }],
  ["a number of more than 64 bits", { fields: `${OWNER}${TO}18e8878080808080808002` }],
  ["an unknown field of the transfer", { fields: `${OWNER}${TO}${AMOUNT}2001` }],
  ["an unknown field of the parameter", { type: `${TYPE}1801` }],
  ["an unknown field of the instruction", { kind: "08013001" }],
  ["an unknown field", { tail: `${TAIL}9a0100` }],
  ["a repeated field", { tail: `${TAIL}${TAIL}` }],
  ["fields in another order", { fields: `${TO}${OWNER}${AMOUNT}` }],
  ["an amount of nothing", { fields: `${OWNER}${TO}1800` }],
  ["a type that nobody knows", { kind: "083c" }],
])("a transaction with %s is left alone, because a node may read it in another way", (_, parts) => {
  expect(readInstruction(transfer(parts))).toBeUndefined();
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
