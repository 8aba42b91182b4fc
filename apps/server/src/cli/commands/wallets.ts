import { readDepositAccount } from "../../adapters/chains/evm/deposit-addresses.ts";
import { askSigner } from "../../adapters/chains/signer-client.ts";
import { descriptorOf, type KeyOrigin } from "../../adapters/chains/utxo/descriptor.ts";
import { exactAmount } from "../../domain/catalogue/exact-amount.ts";
import type { Deps } from "../../flows/deps.ts";
import type { StatusAnswer } from "../../signer/protocol.ts";
import type { NetworkChoices } from "../../start/rails/chain-choices.ts";
import { coinAccountOf, coinPrefixesOf } from "../../start/rails/coin-choices.ts";
import { readLiveRails } from "../../start/rails/open-chains.ts";
import { accountOf } from "../../start/rails/open-gateway.ts";
import { readCatalogue } from "../../storage/catalogue/catalogue.ts";
import { type ListedWallet, listWallets, readWalletBooks } from "../../storage/treasury/wallets.ts";
import type { Command } from "../command.ts";
import { table } from "../table.ts";
import { withDatabase } from "../with-database.ts";
import { withFlows } from "../with-flows.ts";

export const walletsList: Command = {
  name: "wallets list",
  summary: "Show our wallets, with their balances on the chain and in our books.",
  options: {},
  example: "wallets list",
  run: (context) => withFlows(context, list),
};

async function list(deps: Pick<Deps, "database" | "catalogue">) {
  const rows = await listWallets(deps.database);
  const books = await readWalletBooks(deps.database);
  const ids = [...new Set(rows.map(({ id }) => id))];
  const wallets = ids.map((id) =>
    showWallet(
      deps,
      rows.filter((row) => row.id === id),
    ),
  );
  const booked = [...books].map(([assetId, units]) =>
    exactAmount(deps.catalogue(), assetId, units),
  );
  const lines = wallets.flatMap(({ balances, ...wallet }) =>
    (balances.length === 0 ? [{ currency: "-", amount: "-", height: "-" }] : balances).map(
      ({ currency, amount, height }) => [
        ...[wallet.network, wallet.wallet, wallet.role, wallet.state, wallet.address ?? "-"],
        ...[currency, amount, height, wallet.nextPlace ?? "-"],
      ],
    ),
  );
  const head = ["NETWORK", "WALLET", "ROLE", "STATE", "ADDRESS"];
  const walletTable = table([[...head, "ASSET", "BY CHAIN", "BLOCK", "NEXT PLACE"], ...lines]);
  const bookTable = table([
    ["ASSET", "BY BOOKS, ALL WALLETS"],
    ...booked.map(({ currency, amount }) => [currency, amount]),
  ]);
  const text = wallets.length === 0 ? "No wallet has sent anything yet." : walletTable;
  return { json: { wallets, books: booked }, text: `${text}\n\n${bookTable}` };
}

function showWallet({ catalogue }: Pick<Deps, "catalogue">, rows: readonly ListedWallet[]) {
  const [wallet] = rows;
  return {
    network: wallet?.networkCode ?? "",
    wallet: wallet?.id ?? "",
    role: wallet?.role ?? "",
    state: wallet?.state ?? "",
    address: wallet?.address ?? null,
    nextPlace: wallet?.nextPlace ?? null,
    balances: rows.flatMap(({ assetId, units, height }) =>
      assetId === null || units === null || height === null
        ? []
        : [{ ...exactAmount(catalogue(), assetId, BigInt(units)), height }],
    ),
  };
}

export const walletsDescriptors: Command = {
  name: "wallets descriptors",
  summary: "Print what another program needs to watch the addresses of each live network.",
  options: {},
  example: "wallets descriptors",
  run: (context) =>
    withDatabase(context, async ({ database }) => {
      const catalogue = await readCatalogue(database);
      const { chains = {}, signer } = readLiveRails(context.config(), {
        catalogue: () => catalogue,
      });
      const keys = signer && (await readKeys(signer.socket));
      const networks = Object.entries(chains).flatMap(([network, choices]) =>
        watchedKeys(choices, keys).map((key) => ({ network, ...key })),
      );
      const rows = networks.map(({ network, wallet, fingerprint, path, xpub, descriptor }) => [
        ...[network, wallet, fingerprint, path, descriptor ?? xpub],
      ]);
      const head = ["NETWORK", "WALLET", "FINGERPRINT", "PATH", "DESCRIPTOR OR KEY"];
      const text =
        rows.length === 0 ? "The rails file names no live network." : table([head, ...rows]);
      return { json: networks, text };
    }),
};

interface WatchedKey {
  readonly wallet: "deposits" | "hot";
  readonly fingerprint: string;
  readonly xpub: string;
  readonly path: string;
  /** Null on networks without descriptors. */
  readonly descriptor: string | null;
}

/** The signer knows where the key of a hot wallet comes from. Without it the descriptor has no origin. */
const readKeys = (socket: string): Promise<StatusAnswer | undefined> =>
  askSigner<StatusAnswer>(socket, { op: "status" }).catch(() => undefined);

function watchedKeys(
  choices: NetworkChoices,
  keys: StatusAnswer | undefined,
): readonly WatchedKey[] {
  if (choices.kind === "solana") {
    const { fingerprint } = accountOf(choices);
    const { account: xpub } = choices.deposits;
    return [{ wallet: "deposits", fingerprint, xpub, path: "seed <index>", descriptor: null }];
  }
  // Its one account is in the list of wallets. No others derive from it.
  if (choices.kind === "xrp") return [];
  const { deposits } = choices;
  if (choices.kind !== "utxo") {
    const { fingerprint } = readDepositAccount(deposits.xpub);
    const { xpub } = deposits;
    return [{ wallet: "deposits", fingerprint, xpub, path: "0/<index>", descriptor: null }];
  }
  const { chain } = coinPrefixesOf(choices);
  const keyOf = (
    wallet: WatchedKey["wallet"],
    xpub: string,
    branch: 0 | 1,
    origin?: KeyOrigin,
  ): WatchedKey => ({
    wallet,
    fingerprint: coinAccountOf(choices, xpub).fingerprint,
    xpub,
    path: `${branch}/<index>`,
    descriptor: descriptorOf({ xpub, chain }, branch, origin),
  });
  const { hot } = choices;
  const path = hot && keys?.wallets[hot.wallet]?.path;
  const origin =
    keys && path !== undefined ? { fingerprint: keys.fingerprints.hot, path } : undefined;
  return [
    keyOf("deposits", deposits.xpub, 0),
    ...(hot ? ([0, 1] as const).map((branch) => keyOf("hot", hot.xpub, branch, origin)) : []),
  ];
}
