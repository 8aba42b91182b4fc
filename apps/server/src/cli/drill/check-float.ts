import type { Currency } from "../../domain/catalogue/currency.ts";
import { unitsText } from "../../domain/catalogue/exact-amount.ts";
import { coinsReadOn, openReader } from "../../start/rails/open-chains.ts";
import { readBooks } from "../../storage/chains/books.ts";
import { findBlock } from "../../storage/chains/cursors.ts";
import { listStocks } from "../../storage/treasury/stock.ts";
import { type ListedWallet, listWallets, openWalletOf } from "../../storage/treasury/wallets.ts";
import { type DrillFacts, wordsFor } from "./facts.ts";
import { blocked, done, next, type Outcome, waiting } from "./step.ts";

/** Checks that the hot wallet has coins on the chain, and that the books have the same. */
export async function checkFloat(facts: DrillFacts): Promise<Outcome> {
  const { deps, chosen, choices, code } = facts;
  if (chosen?.release.how === "held") return done("the payout was paid from it");
  return choices.kind === "utxo"
    ? checkCoins(facts)
    : checkBalances(facts, choices, openWalletOf(await listWallets(deps.database), code, "hot"));
}

const coinsOf = ({ deps, code }: DrillFacts) => coinsReadOn(deps.catalogue(), code);

/** The node's balances at the block of the stored ones must be those. */
async function checkBalances(
  facts: DrillFacts,
  choices: DrillFacts["choices"],
  rows: readonly ListedWallet[],
): Promise<Outcome> {
  const { deps, code } = facts;
  const height = rows.find((row) => row.height !== null)?.height;
  const address = rows[0]?.address;
  if (!height || !address) {
    return waiting(
      "the scanner has not read the hot wallet",
      "Start a worker. If it runs, its log says why the wallet is not registered.",
    );
  }
  const block = await findBlock(deps.database, code, BigInt(height));
  if (block === undefined) return waiting(`the scanner goes on from block ${height}`);
  const coins = coinsOf(facts);
  const places = coins.map(({ id, contractAddress }) => ({
    address,
    asset: { assetId: id, contract: contractAddress },
  }));
  const reader = openReader(deps.catalogue(), code, choices);
  const held = (await reader.balancesAt?.(block, places).finally(() => reader.close())) ?? [];
  const recorded = new Map(rows.map(({ assetId, units }) => [assetId, BigInt(units ?? 0)]));
  const wrong = coins.filter(({ id }, at) => (held[at] ?? 0n) !== (recorded.get(id) ?? 0n));
  const books = await readBooks(deps.database, code);
  const apart = books.filter(({ difference }) => difference !== 0n);
  if (wrong.length > 0 || apart.length > 0) {
    const names = [
      ...wrong.map(({ reference }) => reference),
      ...apart.map((one) => one.assetReference),
    ];
    return blocked(
      `at block ${height} chain and books differ in ${[...new Set(names)].join(", ")}`,
      `exchange chains statement --network ${code}`,
    );
  }
  const own = coins.findIndex(({ contractAddress }) => contractAddress === null);
  const words = coins.flatMap(({ id }, at) => (held[at] ? [wordsFor(facts, id, held[at])] : []));
  if (!held[own]) {
    return next(
      `${address} has ${words.join(", ") || "nothing"} at block ${height}, and a fee needs ${coins[own]?.reference}`,
      `Send ${worthOf(coins[own])} ${coins[own]?.reference}, about 50 EUR, to ${address}`,
      "For payouts of a token send some of it too. The service books both when they are final.",
    );
  }
  return done(`${words.join(", ")} at block ${height}, on the chain and in the books`);
}

/** The scanner stores coins as rows. Nodes report no balance at a block to compare them with. */
async function checkCoins(facts: DrillFacts): Promise<Outcome> {
  const { deps, config, choices } = facts;
  const [coin] = coinsOf(facts);
  const stocks = await listStocks(deps.database);
  const onHand = stocks.find(({ assetId }) => assetId === coin?.id)?.onHand ?? 0n;
  if (coin !== undefined && onHand > 0n) {
    const words = wordsFor(facts, coin.id, onHand);
    return done(`${words} in final coins; compare them with a watch-only wallet of your own`);
  }
  const wallet = choices.hot?.wallet ?? "";
  return next(
    "the hot wallet has no final coins",
    `Send ${worthOf(coin)} ${coin?.reference}, about 50 EUR, to one of the first 20 addresses:`,
    `exchange signer addresses --socket SOCKET --wallet ${wallet}`,
    `SOCKET is signer.socket of ${config.railsFile}.`,
  );
}

const FLOAT_EURO = 50n;

/** Returns the amount of the coin that is worth the euro, at the catalogue's stable rate. */
export function worthOf(coin: Currency | undefined, euro = FLOAT_EURO): string {
  if (coin === undefined) return "some";
  const { perEuro, decimals } = coin;
  const units = (euro * perEuro.units * 10n ** BigInt(decimals)) / 10n ** BigInt(perEuro.scale);
  return unitsText(coin, units);
}
