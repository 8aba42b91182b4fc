import { hexToBytes } from "@noble/hashes/utils.js";
import { describe, expect, test } from "vitest";
import { readSignedTransfer } from "../adapters/chains/tron/transaction.ts";
import { makeRelease, NOW, openTestSigner, signRelease } from "../testing/signer.ts";
import { refusalsUnder } from "../testing/signer-refusals.ts";
import { TRON_HOT, TRON_POLICY, TRON_USDT, tronTerms } from "../testing/tron-signer.ts";
import { readSignLog } from "./sign-log.ts";

const DEPOSIT = "TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH";
const POLICY = {
  ...TRON_POLICY,
  networks: {
    ...TRON_POLICY.networks,
    nile: { ...TRON_POLICY.networks["tron"], kind: "tron" as const, chainId: 3_448_148_188 },
    ethereum: {
      ...{ kind: "evm" as const, chainId: 31_337, gasLimitMax: 200_000, feeMax: "1" },
      ...{ feeMaxPerDay: "1", dayCents: 0 },
    },
  },
  wallets: {
    ...TRON_POLICY.wallets,
    "nile-hot": { network: "nile", keystore: "hot" as const, path: "m/44'/195'/1'/0/0" },
    "ethereum-hot": { network: "ethereum", keystore: "hot" as const, path: "m/44'/60'/0'/0/0" },
  },
} as typeof TRON_POLICY;

const sweep = (changes: object = {}, terms: object = {}) => ({
  ...{ op: "sweep_tron", from: "tron-deposits/0", to: "tron-hot", asset: "usdt-tron" },
  ...{ units: "5000000", terms: tronTerms(terms) },
  ...changes,
});
const TRX = { asset: "trx" };
const NO_CALL = { feeLimit: "0" };
const topUp = (changes: object = {}, terms: object = {}) =>
  sweep({ ...TRX, from: "tron-hot", to: "tron-deposits/0", ...changes }, { ...NO_CALL, ...terms });
/** A payment of the same coins to the same address as `topUp` brings them. */
const payment = () => {
  const { expiration, reference } = tronTerms();
  const place = { kind: "until", expiration, reference, after: null } as const;
  const release = { network: "tron", wallet: "tron-hot", asset: "trx", address: DEPOSIT, place };
  const signed = signRelease(makeRelease({ ...release, units: 5_000_000n }));
  return { op: "pay_tron", release: signed, terms: tronTerms(NO_CALL) };
};

const expectRefused = refusalsUnder(POLICY);

test.each([
  ["tokens of a deposit address", sweep(), { owner: DEPOSIT, to: TRON_HOT, contract: TRON_USDT }],
  [
    "TRX of a deposit address",
    sweep(TRX, NO_CALL),
    { owner: DEPOSIT, to: TRON_HOT, contract: null },
  ],
  ["TRX for a fee", topUp(), { owner: TRON_HOT, to: DEPOSIT, contract: null }],
])("%s go to the other address of ours, which the signer derives", (_, request, transfer) => {
  const { bytes } = openTestSigner(POLICY).sign(request);
  const signed = readSignedTransfer(hexToBytes(bytes));
  expect(signed).toMatchObject({ ...transfer, signer: transfer.owner, units: 5_000_000n });
});

describe("a sweep on Tron is refused", () => {
  test.each<[string, object, string]>([
    ["to an address instead of a wallet", sweep({ to: "unknown-hot" }), "unlisted"],
    ["from a wallet of many without a number", sweep({ from: "tron-deposits" }), "unlisted"],
    ["from a wallet of one with a number", topUp({ from: "tron-hot/0" }), "unlisted"],
    ["to another deposit address", sweep({ to: "tron-deposits/1" }), "purpose"],
    ["to itself", sweep({ to: "tron-deposits/0" }), "purpose"],
    ["to a wallet of a test network", sweep({ to: "nile-hot" }), "network"],
    ["to a wallet of an EVM network", sweep({ to: "ethereum-hot" }), "network"],
    ["of an asset that the policy does not have", sweep({ asset: "usdc-tron" }), "unlisted"],
    [
      "of tokens from the hot wallet",
      sweep({ from: "tron-hot", to: "tron-deposits/0" }),
      "purpose",
    ],
    ["from the hot wallet to itself", topUp({ to: "tron-hot" }), "purpose"],
    ["that brings more than a fee", topUp({ units: "50000001" }), "purpose"],
    [
      "of more units than TRX has",
      sweep({ ...TRX, units: String(2n ** 63n) }, NO_CALL),
      "release_text",
    ],
    ["of a token without a fee limit", sweep({}, NO_CALL), "fee"],
    ["of TRX with a fee limit", sweep(TRX, { feeLimit: "1" }), "fee"],
    ["that may burn more than the cap", sweep({}, { feeLimit: "48000001" }), "fee"],
    ["after its deadline", sweep({}, { expiration: NOW }), "terms"],
    ["with a deadline too far away", sweep({}, { expiration: NOW + 600_001 }), "terms"],
  ])("%s", (_, request, reason) => {
    expectRefused(request, reason);
  });

  test("when the fees of the day are used, and each of its transactions counts", () => {
    const signer = openTestSigner(POLICY);
    for (const ms of [1, 2, 3]) signer.sign(sweep({}, { expiration: NOW + 50_000 + ms }));
    expectRefused(sweep({}, { expiration: NOW + 50_004 }), "fee", signer);
  });

  test("where a payment has the same bytes, and a payment where a sweep has them", () => {
    const paid = openTestSigner(POLICY);
    paid.sign(payment());
    expectRefused(topUp(), "terms", paid);
    const swept = openTestSigner(POLICY);
    swept.sign(topUp());
    expectRefused(payment(), "terms", swept);
  });
});

test("the same question has the same bytes, even after its deadline and a restart", () => {
  const signer = openTestSigner(POLICY);
  const first = signer.sign(sweep());
  const again = signer.reopen();
  again.setTime(NOW + 3_600_000);
  expect(again.sign(sweep())).toEqual(first);
  expect(readSignLog(signer.logFile).signatures).toHaveLength(1);
});

test("a top-up that was signed is repeated after the policy's feeMax was lowered", () => {
  const { logFile, ...signer } = openTestSigner(POLICY);
  const first = signer.sign(topUp());
  const policy = structuredClone(POLICY);
  Object.assign(policy.networks["tron"] ?? {}, { feeMax: "4000000" });
  const lowered = openTestSigner(policy, logFile);
  expect(lowered.sign(topUp())).toEqual(first);
  expect(lowered.ask(topUp({ to: "tron-deposits/1" }))).toMatchObject({
    error: { reason: "purpose" },
  });
});
