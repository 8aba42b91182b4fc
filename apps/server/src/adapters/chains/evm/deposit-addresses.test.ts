import { HDKey } from "@scure/bip32";
import { expect, test } from "vitest";
import { checkAddress } from "../../../domain/wallets/check-address.ts";
import { readDepositAccount } from "./deposit-addresses.ts";

/** m/44'/60'/0' of the mnemonic "abandon abandon … about", whose first address every wallet shows. */
const XPUB =
  "xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt";

test("an address is the one that wallets derive at 0/<index>, with its checksum", () => {
  const account = readDepositAccount(XPUB);
  expect(account.addressAt(0)).toBe("0x9858EfFD232B4033E47d90003D41EC34EcaEda94");
  expect(account.addressAt(1)).toBe("0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0");
  const many = Array.from({ length: 50 }, (_, index) => account.addressAt(index));
  expect(new Set(many).size).toBe(50);
  for (const address of many) expect(checkAddress("evm", address)).toBe(true);
});

test("a private key and a text that is not a key are refused", () => {
  const { privateExtendedKey } = HDKey.fromMasterSeed(new Uint8Array(32).fill(7));
  expect(() => readDepositAccount(privateExtendedKey)).toThrow("is a private key");
  expect(() => readDepositAccount(`${XPUB.slice(0, -1)}u`)).toThrow("begins with xpub");
  expect(() => readDepositAccount("")).toThrow("begins with xpub");
});
