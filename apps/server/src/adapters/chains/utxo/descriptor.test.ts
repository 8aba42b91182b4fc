import { expect, test } from "vitest";
import { descriptorChecksum, descriptorOf } from "./descriptor.ts";

/** The account m/84'/2'/0' of the mnemonic "abandon … about", of which Litecoin Core 0.21 says the same. */
const XPUB =
  "xpub6CjGURuDpczf6uNrCCwfhVizn5J3hsWcvZ2m6GAdmAjZnoWJPrx6TFPjGSftc2o5fvox6ubQjSXmjjaHZjwYMH7SGFpHHb9Jg24zBf66mbE";
const origin = { fingerprint: "73c5da0a", path: "m/84'/2'/0'" };

test("checksums are those of BIP 380", () => {
  expect(descriptorChecksum("raw(deadbeef)")).toBe("89f8spxm");
  expect(descriptorChecksum("raw(51)")).toBe("8lvh9jxk");
  expect(() => descriptorChecksum("raw(dé)")).toThrow("other characters");
});

test("a descriptor has the origin of its key, where it is known, and the branch", () => {
  const account = { xpub: XPUB, chain: "main" } as const;
  expect(descriptorOf(account, 1, origin)).toMatch(
    new RegExp(`^wpkh\\(\\[73c5da0a/84h/2h/0h\\]${XPUB}/1/\\*\\)#[a-z0-9]{8}$`),
  );
  expect(descriptorOf(account, 0, undefined)).toMatch(new RegExp(`^wpkh\\(${XPUB}/0/\\*\\)#`));
});

test("a test chain's descriptor has the key in the version that its nodes read", () => {
  const account = { xpub: XPUB, chain: "regtest" } as const;
  expect(descriptorOf(account, 0, origin)).toMatch(/^wpkh\(\[73c5da0a\/84h\/2h\/0h\]tpub/);
});
