import { acceptBranch } from "../../flows/chains/accept-branch.ts";
import { assetsOf, openReader, readChains } from "../../start/rails/open-chains.ts";
import { readCatalogue } from "../../storage/catalogue/catalogue.ts";
import { listFollowedNetworks } from "../../storage/chains/cursors.ts";
import { listRateRows, type RateRow } from "../../storage/chains/fee-rates.ts";
import { type Command, UsageError } from "../command.ts";
import { AS, operatorOf } from "../operator-options.ts";
import { table } from "../table.ts";
import { withDatabase } from "../with-database.ts";

export const chainsShow: Command = {
  name: "chains show",
  summary: "Show how far each live network has been read, its fees, and why one cannot continue.",
  options: {},
  example: "chains show",
  run: (context) =>
    withDatabase(context, async ({ database }) => {
      const followed = await listFollowedNetworks(database);
      const catalogue = await readCatalogue(database);
      const chosen = Object.keys(readChains(context.config(), { catalogue: () => catalogue }));
      const unread = chosen.filter((code) => followed.every((one) => one.networkCode !== code));
      const rates = new Map((await listRateRows(database)).map((row) => [row.networkCode, row]));
      const networks = [...followed, ...unread.map(neverRead)].map((one) => ({
        ...one,
        fees: feesOf(rates.get(one.networkCode)),
      }));
      if (networks.length === 0) {
        return { json: networks, text: "The rails file names no live network." };
      }
      const rows = networks.map((one) => [
        one.networkCode,
        one.height ?? "-",
        one.finalHeight ?? "-",
        one.movedAt?.toISOString() ?? "-",
        String(one.addresses),
        rateWords(one.fees),
        one.problem ?? one.fees.problem ?? "-",
      ]);
      const head = [
        ...["NETWORK", "READ UP TO", "FINAL", "LAST MOVED", "ADDRESSES"],
        ...["FEE RATE", "PROBLEM"],
      ];
      const ok = networks.every(({ problem }) => problem === null);
      return { json: networks, text: table([head, ...rows]), ok };
    }),
};

const neverRead = (networkCode: string) => ({
  ...{ networkCode, height: null, hash: null, finalHeight: null, movedAt: null, addresses: 0 },
  problem: "It was never read. exchange doctor says why.",
});

/** The measured fee market of a network. Null while it was not measured. */
const feesOf = (row: RateRow | undefined) => ({
  rate: row?.rate ?? null,
  byteRate: row?.byteRate ?? null,
  tokenRate: row?.tokenRate ?? null,
  ageSeconds: row?.ageMs == null ? null : Math.round(row.ageMs / 1_000),
  problem: row?.problem ?? null,
});

function rateWords({ rate, byteRate, tokenRate, ageSeconds }: ReturnType<typeof feesOf>): string {
  if (rate === null) return "-";
  const ofTokens = tokenRate === null ? "" : ` (tokens ${tokenRate})`;
  const ofBytes = byteRate === null ? "" : ` and ${byteRate} a byte`;
  return `${rate}${ofTokens}${ofBytes}, ${ageSeconds} s old`;
}

export const chainsAccept: Command = {
  name: "chains accept",
  summary: "Resume a network that lost final blocks, from its current final block.",
  options: {
    network: { value: "CODE", required: true, description: "The network, such as ethereum." },
    reason: { value: "TEXT", required: true, description: "The reason, for the log." },
    as: AS,
  },
  example: 'chains accept --network ethereum --reason "the reorganisation of block 123" --as anna',
  run: (context, input) =>
    withDatabase(context, async (deps) => {
      const { database } = deps;
      const networkCode = input.required("network");
      const catalogue = await readCatalogue(database);
      const choices = readChains(context.config(), { catalogue: () => catalogue })[networkCode];
      if (!choices) {
        throw new UsageError(
          `The rails file names no network ${networkCode}. Set EXCHANGE_RAILS_FILE to the service's file.`,
        );
      }
      const reader = openReader(catalogue, networkCode, choices);
      try {
        const reason = input.required("reason");
        const by = operatorOf(context, input);
        const assets = assetsOf(catalogue, networkCode);
        const height = await acceptBranch(deps, reader, { networkCode, reason, by, assets });
        const text = `${networkCode} goes on from block ${height}. Deposits that were credited stay so: compare them with an explorer. Then two people run: exchange payouts resume --rail chain:${networkCode}.`;
        return { json: { networkCode, height: String(height) }, text };
      } finally {
        await reader.close();
      }
    }),
};
