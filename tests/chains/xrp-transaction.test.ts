import { randomBytes, randomInt } from "node:crypto";
import { decode, encode, encodeForSigning } from "ripple-binary-codec";
import { deriveAddress, deriveKeypair, generateSeed, verify } from "ripple-keypairs";
import { expect, test } from "vitest";
import { toXrpAddress } from "../../apps/server/src/domain/wallets/xrp-address.ts";
import {
  prepareXrp,
  readSignedXrp,
  type XrpTransaction,
} from "../../apps/server/src/domain/wallets/xrp-transaction.ts";

/** The codec of the ledger's own JavaScript library is the second opinion on every byte. */

const ROUNDS = 200;

test("the bytes of xrpl.js's published payment are those that our codec signs", () => {
  const { privateKey } = deriveKeypair("shsWGZcmZz6YsWWmcnpfr6fLTdtFV");
  const { hash } = prepareXrp(
    {
      account: "r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk59",
      sequence: 23,
      lastLedger: 8_819_954,
      fee: 12n,
      networkId: 0,
      payment: { to: "rQ3PTWGLCbPz8ZCicV5tCX3xuymojTng5r", tag: null, units: 1n },
    },
    Buffer.from(privateKey.slice(2), "hex"),
  ).sign();
  expect(hash).toBe("88D6B913C66279EA31ADC25C5806C48B2D4E5680261666790A736E1961217700");
});

test("the ledger's own library writes and reads the same bytes, and accepts the signature", () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const keys = deriveKeypair(generateSeed({ algorithm: "ecdsa-secp256k1" }));
    const transaction = randomTransaction(deriveAddress(keys.publicKey));
    const key = Buffer.from(keys.privateKey.slice(2), "hex");
    const { bytes, hash } = prepareXrp(transaction, key).sign();
    const blob = Buffer.from(bytes).toString("hex").toUpperCase();
    const json = decode(blob);
    const signature = json["TxnSignature"] as string;
    expect(encode(json)).toBe(blob);
    const { networkId, payment } = transaction;
    expect(json).toEqual({
      TransactionType: payment ? "Payment" : "AccountSet",
      ...(networkId > 1_024 && { NetworkID: networkId }),
      Flags: 2_147_483_648,
      Sequence: transaction.sequence,
      LastLedgerSequence: transaction.lastLedger,
      Fee: String(transaction.fee),
      Account: transaction.account,
      SigningPubKey: keys.publicKey,
      TxnSignature: signature,
      ...(payment && { Amount: String(payment.units), Destination: payment.to }),
      ...(payment && payment.tag !== null && { DestinationTag: payment.tag }),
    });
    expect(verify(encodeForSigning(json), signature, keys.publicKey)).toBe(true);
    expect(readSignedXrp(bytes, networkId)).toEqual({
      ...transaction,
      hash,
      signer: transaction.account,
    });
  }
});

function randomTransaction(account: string): XrpTransaction {
  const tag = randomInt(3) === 0 ? null : randomInt(2 ** 32);
  const units = BigInt(randomInt(1, 2 ** 47));
  const to = toXrpAddress(randomBytes(20));
  return {
    account,
    sequence: randomInt(2 ** 32),
    lastLedger: randomInt(2 ** 32),
    fee: BigInt(randomInt(1, 1_000_000)),
    networkId: randomInt(2) === 0 ? 0 : randomInt(1_025, 2 ** 32),
    payment: randomInt(5) === 0 ? null : { to, tag, units },
  };
}
