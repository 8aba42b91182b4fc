import type { CoinScripts } from "../../adapters/chains/utxo/coin-movements.ts";
import { addressOf, CHANGE_ADDRESSES } from "../../adapters/chains/utxo/coin-plan.ts";
import type { FeeLimits } from "../../adapters/chains/utxo/fees.ts";
import { type CoinReaderOptions, makeCoinReader } from "../../adapters/chains/utxo/reader.ts";
import { makeCoinSender } from "../../adapters/chains/utxo/sender.ts";
import { BOOKED_WITHIN_SECONDS, type ScanSettings } from "../../chains/scan.ts";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { ChainReader } from "../../domain/ports/chain-reader.ts";
import type { CoinSender } from "../../domain/ports/coin-sender.ts";
import type { LiveCoin } from "../../domain/wallets/coin-prefixes.ts";
import { type CoinChoices, coinAccountOf, coinPrefixesOf, liveChainOf } from "./coin-choices.ts";
import { openEndpoints } from "./endpoint-choices.ts";
import { earlyDepthOf } from "./payout-depths.ts";

/** How often a node is asked for news. */
const POLL_MS = 5_000;

/** Addresses of the hot wallet that an operator may pay. */
const FUNDING_ADDRESSES = 20;

/** The defaults of a coin's payouts, in units and units for each virtual byte. */
const PAYOUTS = {
  bitcoin: {
    feeMax: "100000",
    rate: 10,
    rateMax: 300,
    raise: "replace",
    afterBlocks: 3,
    batch: { seconds: 20, outputsMax: 100 },
  },
  // Its nodes refuse replacements. Its blocks come sooner and cost less, so nobody waits for others.
  litecoin: {
    feeMax: "1000000",
    rate: 10,
    rateMax: 500,
    raise: "child",
    afterBlocks: 6,
    batch: { seconds: 0, outputsMax: 100 },
  },
} as const satisfies Readonly<Record<LiveCoin, object>>;

/** The defaults of consolidations. */
const CONSOLIDATE = { aboveCoins: 100, coinsAtOnce: 100 } as const;

/** The average time between two blocks. */
const BLOCK_SECONDS: Readonly<Record<LiveCoin, number>> = { bitcoin: 600, litecoin: 150 };
/** The raises of its fee for which a dropped payout has time before its network stops. A stop prevents further raises. */
const RAISES_BEFORE_STOP = 4;

export function coinScanSettings(choices: CoinChoices): ScanSettings {
  const { scan = {}, payouts = {} } = choices;
  const { coin } = coinPrefixesOf(choices);
  const { raiseAfterBlocks = PAYOUTS[coin].afterBlocks } = payouts;
  return {
    pollMs: scan.pollMs ?? POLL_MS,
    spanMax: scan.spanMax ?? 20,
    keepBlocks: scan.keepBlocks ?? 1_000,
    balancesEveryMs: 0,
    bookedWithinSeconds: BOOKED_WITHIN_SECONDS,
    minedAgainWithinSeconds: RAISES_BEFORE_STOP * raiseAfterBlocks * BLOCK_SECONDS[coin],
  };
}

interface Opened {
  readonly choices: CoinChoices;
  readonly suspect: (endpoint: string, what: string) => void;
}

/** Opens a reader of a network of the Bitcoin family. */
export const openCoinReader = (catalogue: Catalogue, code: string, opened: Opened): ChainReader =>
  makeCoinReader({
    ...coinEndpointsOf(catalogue, code, opened),
    wallet: opened.choices.hot && scriptsOf(opened.choices, opened.choices.hot.xpub),
  });

/** Returns the scripts of the hot wallet's addresses. */
function scriptsOf(choices: CoinChoices, xpub: string): CoinScripts {
  const account = coinAccountOf(choices, xpub);
  const paths = ([0, 1] as const).flatMap((branch) =>
    Array.from({ length: branch === 0 ? FUNDING_ADDRESSES : CHANGE_ADDRESSES }, (_, keyIndex) => {
      const path = { branch, keyIndex };
      return [account.scriptAt(branch, keyIndex), path] as const;
    }),
  );
  const { prefixes } = coinPrefixesOf(choices);
  return {
    account: account.fingerprint,
    address: xpub,
    paths: new Map(paths),
    addressOf: (script) => addressOf(Buffer.from(script, "hex"), prefixes),
  };
}

/** Returns what the network's payouts may cost, in units and units for each virtual byte. */
export function coinLimitsOf(
  choices: Pick<CoinChoices, "coin" | "chain" | "payouts">,
): FeeLimits & { readonly feeMax: bigint } {
  const usual = PAYOUTS[coinPrefixesOf(choices).coin];
  const { feeMaxUnits = usual.feeMax, feeRate = usual.rate } = choices.payouts ?? {};
  const { feeRateMax = usual.rateMax } = choices.payouts ?? {};
  return {
    feeMax: BigInt(feeMaxUnits),
    rateWithoutEstimate: BigInt(feeRate),
    rateMax: BigInt(feeRateMax),
  };
}

/** Opens the sender of a network's hot wallet. */
export function openCoinSender(
  catalogue: Catalogue,
  code: string,
  opened: Opened & { readonly signerSocket: string },
): readonly CoinSender[] {
  const { choices, signerSocket } = opened;
  const { hot, payouts = {}, scan = {}, consolidate } = choices;
  const network = catalogue.network(code);
  if (!hot || !network) return [];
  const { coin, prefixes } = coinPrefixesOf(choices);
  const usual = PAYOUTS[coin];
  const { feeMax, ...limits } = coinLimitsOf(choices);
  const { batch, raise = usual.raise, raiseAfterBlocks = usual.afterBlocks } = payouts;
  const { paths } = scriptsOf(choices, hot.xpub);
  const sender = makeCoinSender({
    endpoints: coinEndpointsOf(catalogue, code, opened),
    wallet: {
      name: hot.wallet,
      address: hot.xpub,
      account: coinAccountOf(choices, hot.xpub).fingerprint,
    },
    rules: {
      prefixes,
      dust: coin,
      feeMax,
      needsChange: raise === "child",
    },
    isOwn: (script) => paths.has(script),
    batch: { ...usual.batch, ...batch },
    consolidation: consolidate && {
      ...CONSOLIDATE,
      ...consolidate,
      feeRateMax: BigInt(consolidate.feeRateMax),
    },
    raising: { by: raise, afterBlocks: BigInt(raiseAfterBlocks) },
    limits,
    signerSocket,
    pollMs: scan.pollMs ?? POLL_MS,
    ...earlyDepthOf(choices, network, { hasWord: false }),
  });
  return [sender];
}

/** Returns the nodes of a network, and the rules by which they agree. */
export function coinEndpointsOf(
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
