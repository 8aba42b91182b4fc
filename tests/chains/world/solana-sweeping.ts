import { pbkdf2Sync } from "node:crypto";
import { deriveEd25519 } from "../../../apps/server/src/signer/slip10.ts";
import { found } from "../../../apps/server/src/testing/catalogue.ts";
import { TEST_WORDS } from "../../../apps/server/src/testing/signer.ts";
import { type Stranger, strangerOf } from "./solana-chain.ts";
import { newSolanaAddress, SOLANA_HOT, type SolanaPayingWorld } from "./solana-paying.ts";
import { SOLANA_ACCOUNT } from "./solana-world.ts";
import { addressOf, type ExpiringSweeping, makeExpiringSweeping } from "./sweeping-by-deadline.ts";

/** The members of the rails file that let the service sweep Solana. */
export const SOLANA_SWEPT = {
  deposits: { account: SOLANA_ACCOUNT, wallet: "solana-deposits" },
  sweeps: { aboveEuro: 1 },
};

export type SolanaSweeping = ExpiringSweeping<"sol">;

export const makeSolanaSweeping = (world: SolanaPayingWorld): SolanaSweeping =>
  makeExpiringSweeping<"sol">(world, {
    hot: SOLANA_HOT,
    refunds: newSolanaAddress(),
    assets: ["sol"],
    holds: async (address) => world.chain.lamports(address),
    deposit: async (view) => {
      const { units } = found(view.instruction);
      await world.chain.pay([{ to: addressOf(view), units }]);
    },
  });

/** Returns somebody who has a key of one of the test signer's two seeds. */
export const thiefOf = (words: keyof typeof TEST_WORDS): Promise<Stranger> =>
  strangerOf(
    deriveEd25519(
      pbkdf2Sync(TEST_WORDS[words], "mnemonic", 2_048, 64, "sha512"),
      "m/44'/501'/0'/0'",
    ),
  );
