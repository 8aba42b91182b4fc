import type { Release } from "../domain/payouts/release-text.ts";
import type { PolicyFile } from "../signer/policy.ts";
import { makeRelease, NOW, signRelease, TEST_POLICY } from "./signer.ts";

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

/** The customer's wallet. */
export const SOLANA_CUSTOMER = "4fYNw3dojWmQ4dXtSGE9epjRGy9pFSx62YypT7avPYvA";

/** Changes to a request of the hot wallet's payment. `after` names the transaction that died before. */
export interface SolanaPayment {
  readonly release?: Partial<Release>;
  readonly terms?: object;
  readonly after?: string | null;
}

/** Returns a request to sign a payment of SOL to the customer, released for its deadline. */
export const solanaPayment = ({
  release = {},
  terms: changes = {},
  after = null,
}: SolanaPayment = {}) => {
  const terms = solanaTerms(changes);
  const { expiration, reference } = terms;
  return {
    op: "pay_solana",
    release: signRelease(
      makeRelease({
        network: "solana",
        wallet: "solana-hot",
        asset: "sol",
        address: SOLANA_CUSTOMER,
        place: { kind: "until", expiration, reference, after },
        ...release,
      }),
    ),
    terms,
  };
};
