import { expect, test } from "vitest";
import type { Rpc } from "../rpc.ts";
import { readHistory } from "./account-history.ts";

const [OWN, OTHER] = ["rN7n7otQDd6FczFgLdSqtcsAUxDkw6fzRH", "rLHzPsX6oXkzU2qL12kHCH8G8cnZv1rBJh"];
const entryOf = (byte: string) => ({
  ...{ validated: true, meta: { TransactionResult: "tesSUCCESS", AffectedNodes: [] } },
  tx: {
    ...{ TransactionType: "Payment", hash: byte.repeat(32), ledger_index: "96", Fee: "12" },
    ...{ Account: OWN, Destination: OTHER, Sequence: "7" },
  },
});
const page = (bytes: readonly string[], marker?: object) => ({
  ...{ ledger_index_min: "96", ledger_index_max: "96", transactions: bytes.map(entryOf) },
  ...(marker && { marker }),
});

test("a transaction that two pages of a server list is one move, and its neighbour another", async () => {
  const pages = [page(["AA", "BB"], { ledger: "96", seq: "1" }), page(["BB", "CC"])];
  const rpc: Rpc = { name: "node", ask: async () => [pages.shift()], close: async () => {} };
  const moves = await readHistory(rpc, OWN, { from: 96n, to: 96n });
  expect(moves?.map(({ hash }) => hash.slice(0, 2))).toEqual(["AA", "BB", "CC"]);
});
