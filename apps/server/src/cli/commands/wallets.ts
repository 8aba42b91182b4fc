import { readDepositAccount } from "../../adapters/chains/evm/deposit-addresses.ts";
import type { Deps } from "../../flows/deps.ts";
import { readChains } from "../../start/rails/open-chains.ts";
import { readCatalogue } from "../../storage/catalogue/catalogue.ts";
import { type ListedWallet, listWallets, readWalletBooks } from "../../storage/treasury/wallets.ts";
import type { Command } from "../command.ts";
import { showAmount } from "../order-words.ts";
import { table } from "../table.ts";
import { withDatabase } from "../with-database.ts";
import { withFlows } from "../with-flows.ts";

export const walletsList: Command = {
  name: "wallets list",
  summary: "Show our wallets, what the chain says they have, and what our books say.",
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
  const booked = [...books].map(([assetId, units]) => showAmount(deps.catalogue(), assetId, units));
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
        : [{ ...showAmount(catalogue(), assetId, BigInt(units)), height }],
    ),
  };
}

export const walletsDescriptors: Command = {
  name: "wallets descriptors",
  summary: "Print what another program needs to watch the deposit addresses of each live network.",
  options: {},
  example: "wallets descriptors",
  run: (context) =>
    withDatabase(context, async ({ database }) => {
      const catalogue = await readCatalogue(database);
      const networks = Object.entries(
        readChains(context.config(), { catalogue: () => catalogue }),
      ).map(([network, { deposits }]) => {
        const { fingerprint } = readDepositAccount(deposits.xpub);
        return { network, fingerprint, xpub: deposits.xpub, path: "0/<index>" };
      });
      const rows = networks.map((one) => [one.network, one.fingerprint, one.path, one.xpub]);
      const head = ["NETWORK", "FINGERPRINT", "PATH", "EXTENDED PUBLIC KEY"];
      const text =
        rows.length === 0 ? "The rails file names no live network." : table([head, ...rows]);
      return { json: networks, text };
    }),
};
