import { type AccountReader, Disagreement } from "../../../domain/ports/chain-reader.ts";
import { spanKey } from "../span-key.ts";
import { accountsAt, xrpBalancesAt } from "./accounts.ts";
import { openXrpQuorum, type XrpEndpointsOptions } from "./endpoints.ts";
import { nameOfLedger, readXrpHeads } from "./ledgers.ts";
import { readXrpSpan } from "./read-span.ts";

/**
 * Reads the XRP Ledger over the JSON-RPC of rippled. Only validated ledgers are read, which are never dropped. The accounts'
 * own histories are asked for instead of whole ledgers, and their balances prove that nothing is missing
 * (docs/decisions/0123-one-account-and-tags-for-deposits.md).
 */
export function makeXrpReader(options: XrpEndpointsOptions): AccountReader {
  const { networkCode } = options;
  const quorum = openXrpQuorum(options);
  return {
    heads: async () => {
      const { believed, final } = await readXrpHeads(quorum, options);
      // A ledger is read only with the operator's own nodes, so no further than all of them have.
      return { believed: final ?? believed, final };
    },
    nameOf: (height) => nameOfLedger(quorum, height),
    read: async (from, to, watch) => {
      const what = `ledgers ${from.height + 1n} to ${to}`;
      const span = await quorum.agree({
        what,
        ask: (rpc) => readXrpSpan(rpc, { networkCode, from, to, watch }),
        keyOf: spanKey,
        // The balance of the account is the same whichever tag a deposit has.
        needsOwn: true,
      });
      if (!span) throw new Disagreement(what);
      return span;
    },
    balancesAt: (block, places) => xrpBalancesAt(quorum, block, places),
    usedPlacesAt: async (block, addresses) =>
      (await accountsAt(quorum, block, addresses)).map((account) => account?.sequence ?? 0n),
    close: () => quorum.close(),
  };
}
