import { ed25519 } from "@noble/curves/ed25519.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { describe, expect, test } from "vitest";
import { solanaBytes, tokenAccountOf, toSolanaForm } from "../domain/wallets/solana.ts";
import { splitTransaction } from "../domain/wallets/solana-message.ts";
import { readTokenMessage, writeTokenMessage } from "../domain/wallets/solana-token-message.ts";
import { openTestSigner } from "../testing/signer.ts";
import { refusalsUnder } from "../testing/signer-refusals.ts";
import {
  SOLANA_BLOCK as BLOCK,
  SOLANA_CUSTOMER as CUSTOMER,
  SOLANA_HOT as HOT,
  SOLANA_LIMITS as limits,
  SOLANA_POLICY,
  type SolanaPayment,
  solanaPayment,
  solanaTerms as terms,
} from "../testing/solana-signer.ts";
import { parsePolicy } from "./parse-policy.ts";
import type { PolicyFile } from "./policy.ts";
import { readSignLog } from "./sign-log.ts";
import { SignerError } from "./signer-error.ts";

const USDC = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
const USDT = "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB";
const TOKEN_2022 = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb";
const token = { network: "solana", decimals: 6, centsPerCoin: 100, ...limits };
const POLICY: PolicyFile = {
  ...SOLANA_POLICY,
  networks: {
    solana: {
      ...(SOLANA_POLICY.networks["solana"] as PolicyFile["networks"][string] & { kind: "solana" }),
      ...{ feeMax: "200000", feeMaxPerDay: "5000000" },
    },
  },
  assets: {
    ...SOLANA_POLICY.assets,
    "usdc-solana": { ...token, contract: USDC },
    "usdt-solana": { ...token, contract: USDT },
  },
};

const pay = ({ release, terms: changes }: SolanaPayment = {}) =>
  solanaPayment({
    release: { asset: "usdc-solana", units: 1_234_567n, ...release },
    ...(changes && { terms: changes }),
  });

const expectRefused = refusalsUnder(POLICY);

/** The instructions are those of `@solana-program/token` 0.16.1, of which `@solana/kit` 8.4.0 read the same words. */
const MESSAGE =
  "010006090bf32b9f0db09672038fea36139b18f98a5f0149ef4ce0332e44b9a77e83c22d6fd40b05ec5ac6c766b7bceb0b010ca26456af70dfda80e6016dc051d3fd5c5b80cb806c7e51fb4cbc9d793f49f26c37b7c0e154330c96b1a59f71bd28cb6b1d36729c638cf82a2085a0d86fd795d7756e2979b790f04fcfb3b737663c784a47c6fa7af3bedbad3a3d65f36aabc97431b1bbe4c2d2f6e0e47ca60203452f5d61000000000000000000000000000000000000000000000000000000000000000006ddf6e1d765a193d9cbe146ceeb79ac1cb485ed5f5b37913a8cf5857eff00a98c97258f4e2489f1bb3d1029148e0d830b5a1399daff1084048e7bd8dbe9f8590306466fe5211732ffecadba72c39be7bc8ce5bbc5f7126b2c439b3a40000000cc490e928cd2e3873bb343fc95da33179ca60f4dbf46c2c36e91299d55d4e6b90408000502803801000800090380841e0000000000070600020304050601010604010402000a0c87d612000000000006";

test("the instructions of a payment of a token are those of the token's own library, and the wallet signs", () => {
  const { hash, bytes } = openTestSigner(POLICY).sign(pay());
  const { signature, message } = splitTransaction(hexToBytes(bytes));
  expect(bytesToHex(message)).toBe(MESSAGE);
  expect(toSolanaForm(signature)).toBe(hash);
  expect(ed25519.verify(signature, message, solanaBytes(HOT))).toBe(true);
});

test("the token account of a wallet is the one that the token's own library derives", () => {
  expect(tokenAccountOf(HOT, USDC)).toBe("8XXncUd6hJ6JUbVm124sDVwRwNKKZK1A4Yb4Wp7uCTyC");
  expect(tokenAccountOf(CUSTOMER, USDC)).toBe("9fmAU34wjuR6b6mGCiVWZxQNTnEo2BLabnV72wnSKs7z");
});

test("a message is read back only from exactly the bytes that are written", () => {
  const common = { from: HOT, to: CUSTOMER, mint: USDC, decimals: 6, units: 5n };
  const transfer = { ...common, blockhash: BLOCK, unitPrice: 7n };
  const message = writeTokenMessage(transfer);
  expect(readTokenMessage(message)).toEqual(transfer);
  // The bytes of these members may be any. Those of the keys must fit together, and everything else is fixed.
  const free = {
    blockhash: [292, 324],
    unitPrice: [337, 345],
    units: [363, 371],
    decimals: [371, 372],
  };
  for (const [at] of message.entries()) {
    const changed = message.slice();
    changed[at] = (changed[at] ?? 0) ^ 1;
    const [member] =
      Object.entries(free).find(([, [from = 0, to = 0]]) => from <= at && at < to) ?? [];
    if (member === undefined) {
      expect(() => readTokenMessage(changed), `byte ${at}`).toThrow();
      continue;
    }
    const read = readTokenMessage(changed);
    expect({ ...read, [member]: null }).toEqual({ ...transfer, [member]: null });
    expect(read).not.toEqual(transfer);
  }
  expect(() => readTokenMessage(message.slice(0, -1))).toThrow();
  expect(() => readTokenMessage(Uint8Array.of(...message, 0))).toThrow("not a payment of a token");
});

test("a message whose token account is not the wallet's own is not read", () => {
  const common = { from: HOT, mint: USDC, decimals: 6, units: 5n, blockhash: BLOCK, unitPrice: 7n };
  const hex = bytesToHex(writeTokenMessage({ ...common, to: CUSTOMER }));
  const account = (wallet: string, mint = USDC): string =>
    bytesToHex(solanaBytes(tokenAccountOf(wallet, mint)));
  const thief = "7dHbWXmci3dT8UFYWYZweBLXgycu7Y3iL6trKn1Y7ARj";
  for (const other of [account(thief), account(CUSTOMER, USDT)]) {
    const changed = hex.replace(account(CUSTOMER), other);
    expect(changed).not.toBe(hex);
    expect(() => readTokenMessage(hexToBytes(changed))).toThrow("not a payment of a token");
  }
});

describe("attacks", () => {
  test("the mint, the decimals and the token accounts are those of the policy and of the released wallet", () => {
    const { bytes } = openTestSigner(POLICY).sign(pay({ release: { asset: "usdt-solana" } }));
    const { message } = splitTransaction(hexToBytes(bytes));
    expect(readTokenMessage(message)).toEqual({
      ...{ from: HOT, to: CUSTOMER, mint: USDT, decimals: 6, units: 1_234_567n },
      ...{ blockhash: BLOCK, unitPrice: 2_000_000n },
    });
  });

  test("a request cannot name a mint, a token account or another program", () => {
    const signer = openTestSigner(POLICY);
    for (const field of ["mint", "destination", "program", "decimals"]) {
      const request = { ...pay(), [field]: TOKEN_2022 };
      expect(signer.ask(request)).toMatchObject({ error: { code: "BAD_REQUEST" } });
      const inTerms = { ...pay(), terms: { ...terms(), [field]: TOKEN_2022 } };
      expect(signer.ask(inTerms)).toMatchObject({ error: { code: "BAD_REQUEST" } });
    }
    expect(readSignLog(signer.logFile).signatures).toHaveLength(0);
  });

  test.each([
    ["another amount", "units 1234567", "units 9234567"],
    ["another wallet", CUSTOMER, "7dHbWXmci3dT8UFYWYZweBLXgycu7Y3iL6trKn1Y7ARj"],
    ["another token", "asset usdc-solana", "asset usdt-solana"],
  ])("a release that was changed to %s after it was signed is refused", (_, word, other) => {
    const request = pay();
    const text = request.release.text.replace(word, other);
    expect(text).not.toBe(request.release.text);
    expectRefused({ ...request, release: { ...request.release, text } }, "release_signature");
  });

  test.each<[string, SolanaPayment, string]>([
    ["to a token account", { release: { address: tokenAccountOf(CUSTOMER, USDC) } }, "destination"],
    [
      "to our own token account",
      { release: { address: tokenAccountOf(HOT, USDC) } },
      "destination",
    ],
    ["to our own wallet", { release: { address: HOT } }, "destination"],
    ["to its mint", { release: { address: USDC } }, "destination"],
    ["to another mint of the policy", { release: { address: USDT } }, "destination"],
    [
      "to the Token program",
      { release: { address: "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA" } },
      "destination",
    ],
    [
      "to the program of token accounts",
      { release: { address: "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL" } },
      "destination",
    ],
    ["to a denied wallet", { release: { address: POLICY.denied[0] as string } }, "destination"],
    ["of a token that is not listed", { release: { asset: "pyusd-solana" } }, "unlisted"],
    ["of more units than a transfer holds", { release: { units: 2n ** 64n } }, "release_text"],
    ["above its limit", { release: { units: 30_000_000_000n } }, "limit"],
    ["with a fee above the cap", { terms: { unitPrice: "200000000" } }, "fee"],
  ])("a payment %s is refused", (_, payment, reason) => {
    expectRefused(pay(payment), reason);
  });

  test("a check refuses the destinations that a payment refuses", () => {
    const place = { kind: "any" } as const;
    const check = (address: string) => ({
      op: "check",
      release: pay({ release: { address, place } }).release,
    });
    expectRefused(check(tokenAccountOf(CUSTOMER, USDC)), "destination");
    expect(openTestSigner(POLICY).ask(check(CUSTOMER))).toMatchObject({ ok: { isAllowed: true } });
  });

  test("each payment counts the rent of a new token account, and the day bounds it", () => {
    const signer = openTestSigner(POLICY);
    signer.sign(pay({ terms: { unitPrice: "0" } }));
    signer.sign(pay({ terms: { unitPrice: "1" } }));
    const [first] = readSignLog(signer.logFile).signatures;
    expect(first).toMatchObject({ fee: "2044280", rent: "2039280" });
    const refused = pay({ terms: { unitPrice: "2" } });
    expectRefused(refused, "fee", signer);
    // 5,000 lamports for each signature, and one for the price.
    expect(signer.ask(refused)).toMatchObject({
      error: {
        message:
          "The fees of a day on solana may reach 6132842, above the 5000000 of feeMaxPerDay in the policy: 15002 of fees and 6117840 of rent of token accounts. Wait until earlier signatures are a day old, or let two people raise feeMaxPerDay.",
      },
    });
  });

  test("a token whose rent alone is above the day's fees is refused without advice to wait", () => {
    const policy = structuredClone(POLICY);
    Object.assign(policy.networks["solana"] ?? {}, { feeMaxPerDay: "2000000" });
    const signer = openTestSigner(policy);
    expect(signer.ask(pay({ terms: { unitPrice: "0" } }))).toMatchObject({
      error: {
        message:
          "The fees of a day on solana may reach 2044280, above the 2000000 of feeMaxPerDay in the policy: 5000 of fees and 2039280 of rent of token accounts. This transaction alone costs more than that. Let two people raise feeMaxPerDay.",
      },
    });
  });

  test("a sweep of a token is refused: its message moves SOL", () => {
    const sweep = { from: "solana-deposits/17", to: "solana-hot", asset: "usdc-solana" };
    expectRefused({ op: "sweep_solana", ...sweep, units: "5", terms: terms() }, "unlisted");
  });
});

test.each([0, 6, 8, 18])(
  "an asset of Solana without a mint has 9 decimals, and not %i",
  (decimals) => {
    const { contract: _, ...forgotten } = { ...token, contract: USDC, decimals };
    const policyWith = (asset: typeof forgotten) => () =>
      parsePolicy(JSON.stringify({ ...POLICY, assets: { "usdc-solana": asset } }));
    expect(policyWith(forgotten)).toThrow(
      `asset usdc-solana: without a contract it is SOL, which has 9 decimals and not ${decimals}.`,
    );
    expect(policyWith({ ...forgotten, decimals: 9 })).not.toThrow();
  },
);

test.each([
  ["a contract of an EVM network", `0x${"1".repeat(40)}`],
  ["a mint of 31 bytes", "2".repeat(42)],
])("a policy with %s for a token of Solana is refused", (_, contract) => {
  const assets = { "usdc-solana": { ...token, contract } };
  expect(() => parsePolicy(JSON.stringify({ ...POLICY, assets }))).toThrow(SignerError);
});
