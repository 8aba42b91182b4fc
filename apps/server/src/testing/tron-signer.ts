import type { PolicyFile } from "../signer/policy.ts";
import { NOW, TEST_POLICY } from "./signer.ts";

/** The address of `tron-hot`, by the words of the test signer. */
export const TRON_HOT = "TWer2Ygk5TEheHp3TPuYeqxmB6SsGZmaL6";
export const TRON_CUSTOMER = "TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH";
export const TRON_USDT = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t";

const limits = { paymentCents: 2_000_000, hourCents: 3_000_000, approvalAboveCents: 1_000_000 };

export const TRON_POLICY: PolicyFile = {
  ...TEST_POLICY,
  networks: {
    tron: {
      kind: "tron",
      chainId: 728_126_428,
      expirationSecondsMax: 600,
      feeMax: "50000000",
      feeMaxPerDay: "120000000",
      dayCents: 5_000_000,
    },
  },
  wallets: {
    "tron-hot": { network: "tron", keystore: "hot", path: "m/44'/195'/0'/0/0" },
    "tron-deposits": { network: "tron", keystore: "deposits", path: "m/44'/195'/0'/0" },
  },
  assets: {
    trx: { network: "tron", decimals: 6, centsPerCoin: 25, ...limits },
    "usdt-tron": { network: "tron", contract: TRON_USDT, decimals: 6, centsPerCoin: 87, ...limits },
  },
  denied: ["TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf"],
};

export const tronTerms = (changes: object = {}) => ({
  reference: "0a1bc1d2e3f405162738",
  expiration: NOW + 60_000,
  timestamp: NOW,
  feeLimit: "30000000",
  ...changes,
});
