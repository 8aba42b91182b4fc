import { generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HDKey } from "@scure/bip32";
import { mnemonicToSeedSync } from "@scure/bip39";
import {
  placeOfCoins,
  type Release,
  writeApprovalText,
  writeReleaseText,
} from "../domain/payouts/release-text.ts";
import { History } from "../signer/history.ts";
import { parsePolicy } from "../signer/parse-policy.ts";
import { type PolicyFile, printPublicKey } from "../signer/policy.ts";
import type { CoinPlan, GasTerms, SignedAnswer, SignerAnswer } from "../signer/protocol.ts";
import { makeService } from "../signer/service.ts";
import { makeSignLog, openSignLog, readSignLog } from "../signer/sign-log.ts";
import type { SignerParts } from "../signer/signing.ts";
import { Wallets } from "../signer/wallets.ts";

/** Public test mnemonics: of anvil and hardhat, and of the BIP-39 vectors. */
export const TEST_WORDS = {
  hot: "test test test test test test test test test test test junk",
  deposits:
    "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about",
};
/** Returns the keys at a path of the hot words, as a thief of the words has them. */
export const hotKeysAt = (path: string): HDKey =>
  HDKey.fromMasterSeed(mnemonicToSeedSync(TEST_WORDS.hot)).derive(path);
export const USDT = "0xdAC17F958D2ee523a2206206994597C13D831ec7";
export const CUSTOMER = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94";
export const COLD = "0x52908400098527886E0F7030069857D2E4169EE7";
export const CUSTOMER_BTC = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
export const NOW = Date.parse("2026-11-22T15:00:00.000Z");

const keys = {
  release: generateKeyPairSync("ed25519"),
  anna: generateKeyPairSync("ed25519"),
  ben: generateKeyPairSync("ed25519"),
  thief: generateKeyPairSync("ed25519"),
};
export type TestKey = keyof typeof keys;

export const TEST_POLICY: PolicyFile = {
  format: "exchange-policy/1",
  installation: "shop-1",
  releaseKeys: [printPublicKey(keys.release.publicKey)],
  approvers: {
    anna: printPublicKey(keys.anna.publicKey),
    ben: printPublicKey(keys.ben.publicKey),
  },
  approvalsNeeded: 2,
  releaseHoursMax: 24,
  replacementsMax: 3,
  hourCents: 4_000_000,
  dayCents: 6_000_000,
  networks: {
    ethereum: {
      kind: "evm",
      chainId: 31337,
      gasLimitMax: 200_000,
      feeMax: "20000000000000000",
      feeMaxPerDay: "200000000000000000",
      dayCents: 5_000_000,
      cold: COLD,
    },
    base: {
      kind: "evm",
      chainId: 8453,
      gasLimitMax: 200_000,
      feeMax: "20000000000000000",
      feeMaxPerDay: "200000000000000000",
      dayCents: 5_000_000,
    },
    bitcoin: {
      kind: "coins",
      chain: "bitcoin",
      environment: "mainnet",
      feeRateMax: 300,
      feeMax: "200000",
      feeMaxPerDay: "1000000",
      dayCents: 5_000_000,
    },
  },
  wallets: {
    "eth-hot": { network: "ethereum", keystore: "hot", path: "m/44'/60'/0'/0/0" },
    "eth-deposits": { network: "ethereum", keystore: "deposits", path: "m/44'/60'/0'/0" },
    "base-hot": { network: "base", keystore: "hot", path: "m/44'/60'/0'/0/0" },
    "btc-hot": { network: "bitcoin", keystore: "hot", path: "m/84'/0'/0'" },
  },
  assets: {
    eth: asset({ network: "ethereum", decimals: 18, centsPerCoin: 287_000 }),
    "usdt-ethereum": asset({ network: "ethereum", contract: USDT, decimals: 6, centsPerCoin: 87 }),
    btc: asset({ network: "bitcoin", decimals: 8, centsPerCoin: 8_000_000 }),
  },
  denied: ["0x00000000000000000000000000000000DeaDBeef"],
};

function asset(
  facts: Pick<PolicyFile["assets"][string], "network" | "decimals" | "centsPerCoin" | "contract">,
): PolicyFile["assets"][string] {
  return { ...facts, paymentCents: 2_000_000, hourCents: 3_000_000, approvalAboveCents: 1_000_000 };
}

export const GAS = {
  type: "eip1559",
  gasLimit: "90000",
  maxFeePerGas: "30000000000",
  maxPriorityFeePerGas: "1000000000",
} as const satisfies GasTerms;

/** Returns a release of one USDT. Each has an intent of its own. */
export const makeRelease = (changes: Partial<Release> = {}): Release => ({
  installation: "shop-1",
  intent: randomUUID(),
  order: "1000000000001",
  purpose: "payout",
  network: "ethereum",
  wallet: "eth-hot",
  asset: "usdt-ethereum",
  address: CUSTOMER,
  memo: null,
  units: 1_000_000n,
  place: { kind: "nonce", nonce: 0n },
  releasedAt: new Date(NOW),
  ...changes,
});

export const signText = (text: string, key: KeyObject): string =>
  sign(null, Buffer.from(text), key).toString("base64");

/** Signs a release as the worker does, and its approvals as operators do: `[name, key]`. */
export function signRelease(
  release: Release,
  approvals: readonly (readonly [string, TestKey])[] = [],
  key: TestKey = "release",
) {
  const text = writeReleaseText(release);
  return {
    text,
    signature: signText(text, keys[key].privateKey),
    approvals: approvals.map(([name, by]) => ({
      name,
      signature: signText(writeApprovalText(text), keys[by].privateKey),
    })),
  };
}

export const BOTH = [
  ["anna", "anna"],
  ["ben", "ben"],
] as const;

export const COIN = {
  transaction: "11".repeat(32),
  output: 0,
  units: "1000000",
  branch: 0,
  index: 0,
} as const satisfies CoinPlan["inputs"][number];

/** Returns a plan that spends the coins and returns the rest above the fee. */
export function makePlan(
  inputs: CoinPlan["inputs"],
  { pays, fee }: { pays: bigint; fee: bigint },
): CoinPlan {
  const rest = inputs.reduce((sum, { units }) => sum + BigInt(units), 0n) - pays - fee;
  return { inputs, change: rest > 0n ? { units: String(rest), index: 0, position: 1 } : null };
}

/** Returns a release of 100,000 satoshi for exactly these coins. */
export const makeCoinRelease = (
  inputs: CoinPlan["inputs"],
  changes: Partial<Release> = {},
): Release =>
  makeRelease({
    network: "bitcoin",
    wallet: "btc-hot",
    asset: "btc",
    address: CUSTOMER_BTC,
    units: 100_000n,
    place: placeOfCoins(inputs.map(({ transaction, output }) => `${transaction}:${output}`)),
    ...changes,
  });

export interface TestSigner {
  readonly parts: SignerParts;
  readonly logFile: string;
  ask(request: object): SignerAnswer;
  /** Signs, or throws the refusal. */
  sign(request: object): SignedAnswer;
  setTime(time: number): void;
  /** Opens the same log again, as a restart does. */
  reopen(): TestSigner;
}

/** Opens a signer with the test seeds in this process, without keystores. */
export function openTestSigner(
  policyFile: PolicyFile = TEST_POLICY,
  logFile: string = makeTestLog(),
): TestSigner {
  let time = NOW;
  const policy = parsePolicy(JSON.stringify(policyFile));
  const seeds = {
    hot: mnemonicToSeedSync(TEST_WORDS.hot),
    deposits: mnemonicToSeedSync(TEST_WORDS.deposits),
  };
  const content = readSignLog(logFile);
  const parts = {
    policy,
    wallets: new Wallets(policy, seeds),
    history: new History(content.signatures),
    log: openSignLog(logFile, content),
    now: () => time,
  };
  const service = makeService(parts, { report: () => {}, onBroken: () => {} });
  const ask = (request: object) => service.answer(JSON.stringify({ id: 1, ...request }));
  return {
    parts,
    logFile,
    ask,
    sign: (request) => {
      const answer = ask(request);
      if ("error" in answer) throw new Error(`${answer.error.reason}: ${answer.error.message}`);
      return answer.ok as SignedAnswer;
    },
    setTime: (next) => {
      time = next;
    },
    reopen: () => openTestSigner(policyFile, logFile),
  };
}

function makeTestLog(): string {
  const file = join(mkdtempSync(join(tmpdir(), "exchange-signer-")), "sign.log");
  makeSignLog(file, { installation: "shop-1", hot: "-", deposits: "-" });
  return file;
}
