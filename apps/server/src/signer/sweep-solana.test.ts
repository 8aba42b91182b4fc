import { ed25519 } from "@noble/curves/ed25519.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { describe, expect, test } from "vitest";
import { solanaBytes, toSolanaForm } from "../domain/wallets/solana.ts";
import { splitTransaction } from "../domain/wallets/solana-message.ts";
import { readSweep, SWEEP_SIGNATURES, writeSweep } from "../domain/wallets/solana-sweep.ts";
import { NOW, openTestSigner } from "../testing/signer.ts";
import { refusalsUnder } from "../testing/signer-refusals.ts";
import {
  SOLANA_BLOCK,
  SOLANA_DEPOSITS,
  SOLANA_HOT,
  SOLANA_POLICY,
  solanaTerms,
} from "../testing/solana-signer.ts";
import type { PolicyFile } from "./policy.ts";
import { readSignLog } from "./sign-log.ts";

/** The address of index 17, and its seed. */
const DEPOSIT = "H8nQ4ftbT5w2Th29HbpJiURKSpZp2umtkUfgJ1CXN3TP";
const SEED = "17.0";
const POLICY: PolicyFile = {
  ...SOLANA_POLICY,
  networks: {
    ...SOLANA_POLICY.networks,
    devnet: {
      ...(SOLANA_POLICY.networks["solana"] as PolicyFile["networks"][string] & { kind: "solana" }),
      genesis: "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG",
    },
    ethereum: {
      ...{ kind: "evm" as const, chainId: 31_337, gasLimitMax: 200_000, feeMax: "1" },
      ...{ feeMaxPerDay: "1", dayCents: 0 },
    },
  },
  wallets: {
    ...SOLANA_POLICY.wallets,
    "devnet-hot": { network: "devnet", keystore: "hot", path: "m/44'/501'/1'/0'" },
    "ethereum-hot": { network: "ethereum", keystore: "hot", path: "m/44'/60'/0'/0/0" },
  },
};

const sweep = (changes: object = {}, terms: object = {}) => ({
  ...{ op: "sweep_solana", from: "solana-deposits/17", to: "solana-hot", asset: "sol" },
  ...{ units: "1000000", terms: solanaTerms(terms) },
  ...changes,
});

const expectRefused = refusalsUnder(POLICY);

/** The messages that `@solana/kit` 8.4.0 compiles of the same words and numbers. It is in no program of this project. */
const OF_KIT = {
  accounts:
    "020102050bf32b9f0db09672038fea36139b18f98a5f0149ef4ce0332e44b9a77e83c22df036276246a75b9de3349ed42b15e232f6518fc20f5fcd4f1d64e81f9bd258f7efb9634479228113a501c5835c42afd69decde7427e1fe9543006a747cda64ca00000000000000000000000000000000000000000000000000000000000000000306466fe5211732ffecadba72c39be7bc8ce5bbc5f7126b2c439b3a40000000cc490e928cd2e3873bb343fc95da33179ca60f4dbf46c2c36e91299d55d4e6b9",
  instructions: [
    [
      1_000_000n,
      2_000_000n,
      "0304000502e80300000400090380841e00000000000303020100380b00000040420f0000000000040000000000000031372e300000000000000000000000000000000000000000000000000000000000000000",
    ],
    [
      2n ** 40n + 1n,
      0n,
      "0304000502e80300000400090300000000000000000303020100380b0000000100000000010000040000000000000031372e300000000000000000000000000000000000000000000000000000000000000000",
    ],
  ],
} as const;

test("the bytes of a sweep are those of Solana's own library, and hot wallet and deposits sign", () => {
  for (const [units, price, instructions] of OF_KIT.instructions) {
    const request = sweep({ units: String(units) }, { unitPrice: String(price) });
    const { hash, bytes } = openTestSigner(POLICY).sign(request);
    const parts = splitTransaction(hexToBytes(bytes), SWEEP_SIGNATURES);
    const { signatures, message } = parts;
    expect(bytesToHex(message)).toBe(`${OF_KIT.accounts}${instructions}`);
    expect(toSolanaForm(parts.signature)).toBe(hash);
    for (const [at, account] of [SOLANA_HOT, SOLANA_DEPOSITS].entries()) {
      const signature = signatures[at] ?? new Uint8Array(64);
      expect(ed25519.verify(signature, message, solanaBytes(account))).toBe(true);
    }
    expect(readSweep(message)).toMatchObject({ from: DEPOSIT, to: SOLANA_HOT, units });
  }
});

test("a message is read back only from exactly the bytes that are written", () => {
  const terms = { units: 5n, blockhash: SOLANA_BLOCK, unitPrice: 7n };
  const ours = { base: SOLANA_DEPOSITS, seed: SEED, to: SOLANA_HOT, ...terms };
  const message = writeSweep(ours);
  expect(readSweep(message)).toEqual({ ...ours, from: DEPOSIT });
  for (const [at] of message.entries()) {
    const changed = message.slice();
    changed[at] = (changed[at] ?? 0) ^ 1;
    let read: object | undefined;
    try {
      read = readSweep(changed);
    } catch {
      read = undefined;
    }
    // Another wallet, block or amount is another message. Everything else is not one.
    expect(read).not.toMatchObject(ours);
  }
  expect(() => readSweep(message.slice(0, -1))).toThrow();
  expect(() => readSweep(Uint8Array.of(...message, 0))).toThrow("not a sweep");
});

describe("a sweep on Solana is refused", () => {
  test.each<[string, object, string]>([
    ["to an address instead of a wallet", sweep({ to: "unknown-hot" }), "unlisted"],
    ["to another deposit address", sweep({ to: "solana-deposits/1" }), "unlisted"],
    ["to the account of the deposits", sweep({ to: "solana-deposits" }), "unlisted"],
    ["to a wallet of a test network", sweep({ to: "devnet-hot" }), "network"],
    ["to a wallet of an EVM network", sweep({ to: "ethereum-hot" }), "network"],
    ["from a wallet of many without a number", sweep({ from: "solana-deposits" }), "unlisted"],
    ["from the hot wallet", sweep({ from: "solana-hot" }), "unlisted"],
    ["from the hot wallet with a number", sweep({ from: "solana-hot/0" }), "unlisted"],
    ["from a wallet of an EVM network", sweep({ from: "ethereum-hot" }), "network"],
    ["of an asset that the policy does not have", sweep({ asset: "usdc-solana" }), "unlisted"],
    ["of more units than a transfer holds", sweep({ units: String(2n ** 64n) }), "release_text"],
    ["that costs more than the cap", sweep({}, { unitPrice: "90000001" }), "fee"],
    ["after its time", sweep({}, { expiration: NOW }), "terms"],
    ["with a time too far away", sweep({}, { expiration: NOW + 600_001 }), "terms"],
  ])("%s", (_, request, reason) => {
    expectRefused(request, reason);
  });

  test("when the fees of the day are used, and each of its transactions counts", () => {
    const signer = openTestSigner(POLICY);
    signer.sign(sweep({}, { unitPrice: "89999999" }));
    expectRefused(sweep({}, { unitPrice: "50000000" }), "fee", signer);
    signer.sign(sweep({}, { unitPrice: "40000000" }));
  });
});

test("the same question has the same bytes, even after its time and a restart", () => {
  const signer = openTestSigner(POLICY);
  const first = signer.sign(sweep());
  const again = signer.reopen();
  again.setTime(NOW + 3_600_000);
  expect(again.sign(sweep())).toEqual(first);
  expect(readSignLog(signer.logFile).signatures).toHaveLength(1);
});
