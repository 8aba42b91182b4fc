import { ed25519 } from "@noble/curves/ed25519.js";
import { describe, expect, test } from "vitest";
import type { ChainSend, SignedTransaction } from "../../../domain/ports/chain-gateway.ts";
import { OTHER_BYTES } from "../../../domain/ports/chain-sender.ts";
import { addressWithSeed, toSolanaForm } from "../../../domain/wallets/solana.ts";
import { writeMessage, writeTransaction } from "../../../domain/wallets/solana-message.ts";
import { writeSweep } from "../../../domain/wallets/solana-sweep.ts";
import { writeTokenMessage } from "../../../domain/wallets/solana-token-message.ts";
import { requireSend, requireSweep } from "./transaction.ts";

const keyOf = (fill: number) => {
  const secret = new Uint8Array(32).fill(fill);
  return { secret, address: toSolanaForm(ed25519.getPublicKey(secret)) };
};
const [hot, deposits, customer] = [keyOf(1), keyOf(2), keyOf(3)];
const BLOCK = "EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N";
const USDC = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
const USDT = "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB";
const token = { mint: USDC, decimals: 6 };
const SEED = "17.0";
const UNITS = 1_234_567n;

const transfer = { from: hot.address, to: customer.address, units: UNITS };
const terms = { blockhash: BLOCK, unitPrice: 7n };
const MESSAGES = {
  coins: writeMessage({ ...transfer, ...terms }),
  tokens: writeTokenMessage({ ...transfer, ...terms, ...token }),
  "other tokens": writeTokenMessage({ ...transfer, ...terms, ...token, mint: USDT }),
  "other decimals": writeTokenMessage({ ...transfer, ...terms, ...token, decimals: 9 }),
  sweep: writeSweep({
    ...{ base: deposits.address, seed: SEED, to: hot.address, units: UNITS },
    ...terms,
  }),
  nothing: new Uint8Array(),
  noise: new Uint8Array(400).fill(9),
};
type Kind = keyof typeof MESSAGES;

const signedBy = (kind: Kind, ...signers: readonly (typeof hot)[]): SignedTransaction => {
  const message = MESSAGES[kind];
  const signatures = signers.map(({ secret }) => ed25519.sign(message, secret));
  const transactionHash = toSolanaForm(signatures[0] ?? new Uint8Array(64));
  return { networkCode: "solana", transactionHash, bytes: writeTransaction(signatures, message) };
};
const sendOf = (
  purpose: "payout" | "sweep",
  assetReference: string,
  address: string,
): ChainSend => ({
  ...{ id: "send-1", networkCode: "solana", purpose },
  place: { kind: "until", reference: BLOCK, expiration: 1, after: null },
  outputs: [{ address, units: UNITS, assetReference, memo: null, intentId: "intent-1" }],
});
const ALARM = expect.objectContaining({ reason: OTHER_BYTES });

describe("a payment of the signer", () => {
  const check = (asset: string, signed: SignedTransaction) => () =>
    requireSend(signed, sendOf("payout", asset, customer.address), {
      from: hot.address,
      tokenOf: (reference) => (reference === "sol" ? null : token),
    });

  test("exactly the send is accepted", () => {
    expect(check("sol", signedBy("coins", hot))).not.toThrow();
    expect(check("usdc-solana", signedBy("tokens", hot))).not.toThrow();
  });

  test.each<[string, Kind]>([
    ["sol", "tokens"],
    ["sol", "sweep"],
    ["sol", "nothing"],
    ["sol", "noise"],
    ["usdc-solana", "coins"],
    ["usdc-solana", "other tokens"],
    ["usdc-solana", "other decimals"],
    ["usdc-solana", "nothing"],
    ["usdc-solana", "noise"],
  ])("a payment of %s that the signer answers with %s raises the alarm", (asset, kind) => {
    expect(check(asset, signedBy(kind, hot))).toThrow(ALARM);
  });

  test("another number of signatures, and another signature, raise the alarm", () => {
    expect(check("sol", signedBy("coins", hot, deposits))).toThrow(ALARM);
    expect(check("sol", signedBy("coins"))).toThrow(ALARM);
    expect(check("usdc-solana", signedBy("tokens", deposits))).toThrow(ALARM);
  });
});

describe("a sweep of the signer", () => {
  const from = addressWithSeed(deposits.address, SEED);
  const check = (signed: SignedTransaction) => () =>
    requireSweep(
      signed,
      { send: sendOf("sweep", "sol", hot.address), from },
      { base: deposits.address, reference: BLOCK },
    );

  test("exactly the send is accepted", () => {
    expect(check(signedBy("sweep", hot, deposits))).not.toThrow();
  });

  test.each<Kind>(["coins", "tokens", "nothing", "noise"])(
    "a sweep that the signer answers with %s raises the alarm",
    (kind) => {
      expect(check(signedBy(kind, hot, deposits))).toThrow(ALARM);
      expect(check(signedBy("sweep", hot))).toThrow(ALARM);
    },
  );
});
