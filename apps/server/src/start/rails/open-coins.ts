import { type CoinReaderOptions, makeCoinReader } from "../../adapters/chains/utxo/reader.ts";
import type { ScanSettings } from "../../chains/scan.ts";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { ChainReader } from "../../domain/ports/chain-reader.ts";
import { type CoinChoices, liveChainOf } from "./coin-choices.ts";
import { openEndpoints } from "./endpoint-choices.ts";

/** How often a node is asked for news. */
const POLL_MS = 5_000;

export const coinScanSettings = ({ scan = {} }: CoinChoices): ScanSettings => ({
  pollMs: scan.pollMs ?? POLL_MS,
  spanMax: scan.spanMax ?? 20,
  keepBlocks: scan.keepBlocks ?? 1_000,
  balancesEveryMs: 0,
});

interface Opened {
  readonly choices: CoinChoices;
  readonly suspect: (endpoint: string, what: string) => void;
}

/** Opens a reader of a network of the Bitcoin family. */
export const openCoinReader = (catalogue: Catalogue, code: string, opened: Opened): ChainReader =>
  makeCoinReader(coinEndpointsOf(catalogue, code, opened));

function coinEndpointsOf(
  catalogue: Catalogue,
  code: string,
  { choices, suspect }: Opened,
): CoinReaderOptions {
  const network = catalogue.network(code);
  if (!network) throw new Error(`the catalogue has no network ${code}`);
  const { timeoutMs = 20_000, finality = {} } = choices;
  return {
    networkCode: code,
    chain: liveChainOf(choices),
    ...openEndpoints(choices, code),
    timeoutMs,
    confirmations: finality.atLeast ?? network.confirmations,
    suspect,
  };
}
