import { type Static, Type } from "@sinclair/typebox";
import { type CoinAccount, readCoinAccount } from "../../adapters/chains/utxo/deposit-addresses.ts";
import type { CoinChain } from "../../adapters/chains/utxo/reader.ts";
import {
  type AddressChain,
  COIN_PREFIXES,
  type LiveCoin,
} from "../../domain/wallets/coin-prefixes.ts";
import {
  type ChainContext,
  type ChainProblem,
  EndpointMembers,
  endpointProblems,
  Large,
  largeProblems,
  strict,
  units,
  WalletName,
  whole,
} from "./endpoint-choices.ts";
import { Fees } from "./fee-choices.ts";
import { depthProblems } from "./payout-depths.ts";
import { hotProblems } from "./signer-choices.ts";

/** A network of the Bitcoin family. */
export const CoinNetwork = Type.Object(
  {
    kind: Type.Literal("utxo"),
    coin: Type.String({ minLength: 1 }),
    chain: Type.String({ minLength: 1 }),
    ...EndpointMembers,
    timeoutMs: whole(100, 120_000),
    finality: Type.Optional(
      Type.Object({ atLeast: whole(1, 10_000), large: Type.Optional(Large) }, strict),
    ),
    scan: Type.Optional(
      Type.Object(
        {
          pollMs: whole(50, 600_000),
          spanMax: whole(1, 1_000),
          keepBlocks: whole(1, 100_000),
        },
        strict,
      ),
    ),
    deposits: Type.Object({ xpub: Type.String({ minLength: 1 }) }, strict),
    hot: Type.Optional(
      Type.Object({ wallet: WalletName, xpub: Type.String({ minLength: 1 }) }, strict),
    ),
    consolidate: Type.Optional(
      Type.Object(
        {
          feeRateMax: Type.Integer({ minimum: 1, maximum: 100_000 }),
          aboveCoins: whole(20, 100_000),
          coinsAtOnce: whole(10, 200),
        },
        strict,
      ),
    ),
    payoutDepth: whole(1, 10_000),
    fees: Fees,
    payouts: Type.Optional(
      Type.Object(
        {
          batch: Type.Optional(
            Type.Object({ seconds: whole(0, 600), outputsMax: whole(1, 100) }, strict),
          ),
          feeMaxUnits: Type.Optional(units("^[1-9][0-9]{0,18}$")),
          feeRate: whole(1, 100_000),
          feeRateMax: whole(1, 100_000),
          raise: Type.Optional(
            Type.Unsafe<"replace" | "child" | "never">({ enum: ["replace", "child", "never"] }),
          ),
          raiseAfterBlocks: whole(1, 1_000),
        },
        strict,
      ),
    ),
  },
  strict,
);

/** The choices of one live network of the Bitcoin family. */
export type CoinChoices = Static<typeof CoinNetwork>;

interface LiveChain extends CoinChain {
  readonly addresses: AddressChain;
}

/** The chains that can be followed, by the names that the nodes give them, with their first blocks. */
const CHAINS: Readonly<Record<LiveCoin, readonly LiveChain[]>> = {
  bitcoin: [
    {
      name: "main",
      genesis: "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f",
      addresses: "main",
    },
    {
      name: "test",
      genesis: "000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943",
      addresses: "test",
    },
    {
      name: "signet",
      genesis: "00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6",
      addresses: "test",
    },
    {
      name: "regtest",
      genesis: "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206",
      addresses: "regtest",
    },
  ],
  litecoin: [
    {
      name: "main",
      genesis: "12a765e31ffd4059bada1e25190f6e98c99d9714d334efa41a195a7e7e04bfe2",
      addresses: "main",
    },
    {
      name: "test",
      genesis: "4966625a4b2851d9fdee139e56211a0d88575f59ed816ff5e6a63deb4e3e29a0",
      addresses: "test",
    },
    {
      name: "regtest",
      genesis: "530827f38f93b43ed12af0b3ad25a288dc02ed74d6d7857862df51fc56c416f9",
      addresses: "regtest",
    },
  ],
};

/** Coins of the family that need rules of their own, and the reason why they are refused. */
const NOT_BUILT: Readonly<Record<string, string>> = {
  dogecoin: "its addresses are P2PKH, whose signatures need the whole earlier transactions",
  "bitcoin-cash": "its signatures have a form of their own, and its coins may carry tokens",
};

const isLive = (coin: string): coin is LiveCoin => Object.hasOwn(COIN_PREFIXES, coin);

const chainOf = ({ coin, chain }: Pick<CoinChoices, "coin" | "chain">): LiveChain | undefined =>
  isLive(coin) ? CHAINS[coin].find(({ name }) => name === chain) : undefined;

/** Returns the chain of choices that were checked. */
export function liveChainOf(choices: Pick<CoinChoices, "coin" | "chain">): LiveChain {
  const chain = chainOf(choices);
  if (!chain) throw new Error(`${choices.coin} ${choices.chain} cannot be followed`);
  return chain;
}

/** Returns the prefixes of the chain's addresses, of choices that were checked. */
export function coinPrefixesOf({ coin, chain }: Pick<CoinChoices, "coin" | "chain">) {
  const { addresses } = liveChainOf({ coin, chain });
  if (!isLive(coin)) throw new Error(`${coin} has no prefixes`);
  return { coin, chain: addresses, prefixes: COIN_PREFIXES[coin][addresses] };
}

/** Returns the account of an extended public key. Throws a sentence for an unusable one. */
export function coinAccountOf(choices: CoinChoices, xpub: string): CoinAccount {
  const { chain, prefixes } = coinPrefixesOf(choices);
  return readCoinAccount({ xpub, chain, prefix: prefixes.segwit });
}

/** Returns the problems of a network's choices, which have the form of `CoinChoices`. */
export function coinProblems(
  code: string,
  choices: CoinChoices,
  { environment, hasSigner, catalogue }: ChainContext,
): readonly ChainProblem[] {
  const problems: ChainProblem[] = [...endpointProblems(choices, environment)];
  const report = (path: string, sentence: string): void => void problems.push({ path, sentence });
  const { coin, chain: name } = choices;
  const coins = Object.keys(COIN_PREFIXES).join(", ");
  const reason = NOT_BUILT[coin];
  if (!isLive(coin)) {
    const why = reason === undefined ? "" : ` Its rules are not built: ${reason}.`;
    report(".coin", `${coin} cannot be followed.${why} Use one of ${coins}.`);
    return problems;
  }
  if (catalogue.network(code)?.addressFormat !== coin) {
    report("", `The catalogue has no network of this code for ${coin}. Use ${coin}.`);
  }
  const chain = chainOf(choices);
  if (!chain) {
    const names = CHAINS[coin].map((one) => one.name).join(", ");
    report(".chain", `${coin} has no chain ${name}. Use one of ${names}.`);
    return problems;
  }
  if (environment === "prod" && name !== "main") {
    report(".chain", `In prod ${coin} follows the chain main, not ${name}.`);
  }
  if (environment !== "prod" && name === "main") {
    report(".chain", "main is a chain with real coins, which only prod may use.");
  }
  for (const [path, xpub] of [
    [".deposits.xpub", choices.deposits.xpub],
    [".hot.xpub", choices.hot?.xpub],
  ] as const) {
    try {
      if (xpub !== undefined) coinAccountOf(choices, xpub);
    } catch (error) {
      report(path, `The value ${(error as Error).message}.`);
    }
  }
  problems.push(...payingProblems(choices, { hasSigner }));
  problems.push(...largeProblems(choices, catalogue.network(code)));
  problems.push(...depthProblems(choices, catalogue.network(code), { hasWord: false }));
  return problems;
}

/** Coins whose nodes refuse another version of a transaction. Only a node of a test can be configured otherwise. */
const KEEPS_VERSIONS: ReadonlySet<string> = new Set(["litecoin"]);

function payingProblems(
  choices: CoinChoices,
  { hasSigner }: Pick<ChainContext, "hasSigner">,
): readonly ChainProblem[] {
  const { hot, payouts, consolidate, deposits, coin, chain } = choices;
  const problems: ChainProblem[] = [...hotProblems(choices, { hasSigner })];
  if (hot?.xpub === deposits.xpub) {
    const sentence =
      "The deposits have the same key. Use an account of its own for the hot wallet.";
    problems.push({ path: ".hot.xpub", sentence });
  }
  if (payouts?.raise === "replace" && KEEPS_VERSIONS.has(coin) && chain !== "regtest") {
    const sentence = `The nodes of ${coin} refuse another version of a transaction. Use child or never.`;
    problems.push({ path: ".payouts.raise", sentence });
  }
  if (consolidate !== undefined && hot === undefined) {
    const sentence =
      "The network has no member hot, so it has no coins to consolidate. Add hot, or remove it.";
    problems.push({ path: ".consolidate", sentence });
  }
  return problems;
}
