import type { PolicyFile } from "../signer/policy.ts";
import { NOW, TEST_POLICY } from "./signer.ts";

/** The hot wallet, and the account of the deposit addresses, of the test signer's words. */
export const SOLANA_HOT = "oeYf6KAJkLYhBuR8CiGc6L4D4Xtfepr85fuDgA9kq96";
export const SOLANA_DEPOSITS = "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk";
export const SOLANA_BLOCK = "EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N";
export const SOLANA_GENESIS = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d";
const PATH = "m/44'/501'/0'/0'";

export const SOLANA_LIMITS = {
  paymentCents: 2_000_000,
  hourCents: 3_000_000,
  approvalAboveCents: 1_000_000,
};

export const SOLANA_POLICY: PolicyFile = {
  ...TEST_POLICY,
  networks: {
    solana: {
      kind: "solana",
      genesis: SOLANA_GENESIS,
      expirationSecondsMax: 600,
      feeMax: "100000",
      feeMaxPerDay: "150000",
      dayCents: 5_000_000,
    },
  },
  wallets: {
    "solana-hot": { network: "solana", keystore: "hot", path: PATH },
    "solana-deposits": { network: "solana", keystore: "deposits", path: PATH },
  },
  assets: { sol: { network: "solana", decimals: 9, centsPerCoin: 15_000, ...SOLANA_LIMITS } },
  denied: ["7dHbWXmci3dT8UFYWYZweBLXgycu7Y3iL6trKn1Y7ARj"],
};

/** The terms of a transaction of Solana, with changes. */
export const solanaTerms = (changes: object = {}) => ({
  reference: SOLANA_BLOCK,
  expiration: NOW + 60_000,
  unitPrice: "2000000",
  ...changes,
});
