import type { SolanaEndpointsOptions } from "../../adapters/chains/solana/endpoints.ts";
import { makeSolanaSender } from "../../adapters/chains/solana/sender.ts";
import { makeSolanaSweeper } from "../../adapters/chains/solana/sweeper.ts";
import { BOOKED_WITHIN_SECONDS, type ScanSettings } from "../../chains/scan.ts";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { DeadlineSender } from "../../domain/ports/chain-sender.ts";
import type { ChainSweeper } from "../../domain/ports/chain-sweeper.ts";
import type { SolanaToken } from "../../domain/wallets/solana-token-message.ts";
import { openEndpoints } from "./endpoint-choices.ts";
import { type SolanaChoices, solanaFeeMaxOf, solanaUnitPriceMinOf } from "./solana-choices.ts";

const TIMEOUT_MS = 10_000;
const POLL_MS = 4_000;

export interface SolanaOpening {
  readonly choices: SolanaChoices;
  readonly suspect: (endpoint: string, what: string) => void;
}

/** Returns the endpoints of a network, the rules by which they agree, and its finality. */
export function solanaEndpointsOf(
  catalogue: Catalogue,
  code: string,
  { choices, suspect }: SolanaOpening,
): SolanaEndpointsOptions {
  const { genesis, timeoutMs = TIMEOUT_MS, finality: { atLeast } = {} } = choices;
  const network = catalogue.network(code);
  if (!network) throw new Error(`the catalogue has no network ${code}`);
  return {
    networkCode: code,
    genesis,
    ...openEndpoints(choices, code),
    timeoutMs,
    finality: { tag: "finalized", atLeast: atLeast ?? network.confirmations },
    suspect,
  };
}

/** The pace of the scanner. A node says a hundred balances in one answer. */
export const solanaScanSettings = ({ scan = {} }: SolanaChoices): ScanSettings => ({
  pollMs: scan.pollMs ?? POLL_MS,
  spanMax: scan.spanMax ?? 500,
  keepBlocks: scan.keepBlocks ?? 5_000,
  balancesEveryMs: (scan.balancesSeconds ?? 60) * 1_000,
  bookedWithinSeconds: BOOKED_WITHIN_SECONDS,
});

/** The defaults of payouts and sweeps, in seconds and blocks. */
const PAYOUTS = { expirationSeconds: 60, graceBlocks: 32 } as const;

/** A network whose transactions the signer signs. */
type SolanaSending = SolanaOpening & { readonly signerSocket: string };

/** Returns the parts that payouts and sweeps share. */
const sendingOf = (
  catalogue: Catalogue,
  code: string,
  { choices, suspect, signerSocket }: SolanaSending,
) => {
  const { payouts = {}, scan = {} } = choices;
  const { expirationSeconds = PAYOUTS.expirationSeconds, graceBlocks = PAYOUTS.graceBlocks } =
    payouts;
  return {
    endpoints: solanaEndpointsOf(catalogue, code, { choices, suspect }),
    signerSocket,
    feeMax: solanaFeeMaxOf(choices),
    unitPriceMin: solanaUnitPriceMinOf(choices),
    expirationSeconds,
    graceBlocks,
    tokenOf: (reference: string) => solanaTokenOf(catalogue, reference),
    gasFloor: BigInt(payouts.gasFloorUnits ?? 0),
    pollMs: scan.pollMs ?? POLL_MS,
    now: Date.now,
  };
};

/** Returns the mint of a token. Null for SOL. */
export function solanaTokenOf(catalogue: Catalogue, reference: string): SolanaToken | null {
  const currency = catalogue.currencies.find((one) => one.reference === reference);
  if (!currency) throw new Error(`the catalogue has no coin ${reference}`);
  const { contractAddress: mint, decimals } = currency;
  return mint === null ? null : { mint, decimals };
}

/** Returns nothing for a network without a hot wallet. */
export function openSolanaSender(
  catalogue: Catalogue,
  code: string,
  opening: SolanaSending,
): readonly DeadlineSender[] {
  const { hot } = opening.choices;
  if (!hot) return [];
  const wallet = { name: hot.wallet, address: hot.address };
  return [makeSolanaSender({ ...sendingOf(catalogue, code, opening), wallet })];
}

/** Returns nothing for a network without a hot wallet. */
export function openSolanaSweeper(
  catalogue: Catalogue,
  code: string,
  opening: SolanaSending,
): readonly { readonly sweeper: ChainSweeper; readonly feeMax: bigint }[] {
  const { hot, deposits } = opening.choices;
  if (!hot) return [];
  const sending = sendingOf(catalogue, code, opening);
  const sweeper = makeSolanaSweeper({
    ...sending,
    hot: { name: hot.wallet, address: hot.address },
    depositsWallet: deposits.wallet,
    depositsAccount: deposits.account,
  });
  return [{ sweeper, feeMax: sending.feeMax }];
}
