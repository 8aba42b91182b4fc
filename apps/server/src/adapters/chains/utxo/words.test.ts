import { expect, test } from "vitest";
import { checkAddress } from "../../../domain/wallets/check-address.ts";
import { parseDigits } from "../digits.ts";
import { readCoinAccount, segwitScript } from "./deposit-addresses.ts";
import { nodeWordsOf } from "./words.ts";

const words = nodeWordsOf("a node");
/** The test vector of BIP 84. */
const ZPUB =
  "zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs";
/** The account m/84'/2'/0' of the same mnemonic. */
const LITECOIN =
  "xpub6CjGURuDpczf6uNrCCwfhVizn5J3hsWcvZ2m6GAdmAjZnoWJPrx6TFPjGSftc2o5fvox6ubQjSXmjjaHZjwYMH7SGFpHHb9Jg24zBf66mbE";

test("amounts keep digits that a double would lose", () => {
  const text = '[{"value":92000000000.12345678,"n":0},{"value":0.00000001},{"value":1e-8}]';
  const [large, small, other] = parseDigits("a node", text) as { value: string }[];
  expect(words.units(large?.value)).toBe(9_200_000_000_012_345_678n);
  expect(words.units(small?.value)).toBe(1n);
  expect(() => words.units(other?.value)).toThrow("a node: the answer has a bad amount");
});

test("a number within a string stays where it is", () => {
  const asm = 'say "value": 12.5 and \\';
  const text = JSON.stringify({ asm, value: 12.5, no: null, yes: true, below: -1, far: 1e21 });
  const expected = { asm, value: "12.5", no: null, yes: true, below: "-1", far: "1e+21" };
  expect(parseDigits("a node", text)).toEqual(expected);
  expect(() => parseDigits("a node", "<html>")).toThrow("a node: the answer is not JSON");
});

test("a string of megabytes is read", () => {
  const memo = `${"x".repeat(10_000_000)}"\\`;
  expect(parseDigits("a node", JSON.stringify({ memo, value: 1 }))).toEqual({ memo, value: "1" });
});

test.each(["-1.00000000", "1.000000001", "", ".5", "0x1", "1.5.5"])(
  "%s is not an amount",
  (value) => {
    expect(() => words.units(value)).toThrow("bad amount");
  },
);

test("addresses are those of BIP 84, with the prefix of their chain", () => {
  const account = readCoinAccount({ xpub: ZPUB, chain: "main", prefix: "bc" });
  expect(account.addressAt(0)).toBe("bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu");
  expect(account.addressAt(1)).toBe("bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g");
  const litecoin = { xpub: LITECOIN, chain: "main", prefix: "ltc" } as const;
  expect(readCoinAccount(litecoin).addressAt(0)).toBe(
    "ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh",
  );
  const regtest = readCoinAccount({ ...litecoin, chain: "regtest", prefix: "rltc" }).addressAt(0);
  expect(checkAddress("litecoin", regtest, "regtest")).toBe(true);
  expect(segwitScript(regtest)).toBe("001496cd3178f3de0f307bcee1aeaa4d5987862dd30a");
});

test.each([
  [
    "a key of a test chain",
    "main",
    "vpub5SLqN2bLY4WeYBwMrtdanr5SfhRC7AyW1aEwbtVbt7t9y6kgBCS6ajVA4LL7Jy2iojpH1hjaiTMp5h4y9dG2dC64bAk9ZwuFCX6AvxFddaa",
    /test chain/,
  ],
  [
    "a private key",
    "regtest",
    "xprv9yjv4vNKzFSMwPmuDGfy9SuDaJiZgcMaWXLLyDyfxPMfdqB8ugqQUBNYnsfRkx4W14HAQVMmykCUycGv54nRT17enxiNTC8YfCGZQmSqZWU",
    /private key/,
  ],
  ["a text", "regtest", "xpub", /not an extended public key/],
] as const)("%s is refused", (_what, chain, xpub, sentence) => {
  expect(() => readCoinAccount({ xpub, chain, prefix: "ltc" })).toThrow(sentence);
});
