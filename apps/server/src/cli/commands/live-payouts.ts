import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { EvmChoices, NetworkChoices } from "../../start/rails/chain-choices.ts";
import type { CoinChoices } from "../../start/rails/coin-choices.ts";
import { payoutDepthOf } from "../../start/rails/payout-depths.ts";
import { countFollowed, findUnfollowed } from "../../storage/payouts/followed.ts";
import type { Database } from "../../storage/postgres/database.ts";
import { type Examined, examined, type Finding } from "../finding.ts";

interface PayingNetwork {
  readonly database: Database;
  readonly catalogue: Catalogue;
  readonly code: string;
  readonly choices: NetworkChoices;
}

const blocks = (count: number): string => (count === 1 ? "1 block" : `${count} blocks`);

type DepthChoices = CoinChoices | EvmChoices;

/** Elsewhere payouts complete their orders with the final block, which is a minute away at most. */
const hasDepth = (choices: NetworkChoices): choices is DepthChoices =>
  choices.kind === "evm" || choices.kind === "utxo";

/** Says when payouts complete their orders, and how many await their final block. Nothing for a network without payouts. */
export async function examinePayouts(place: PayingNetwork): Promise<readonly Finding[]> {
  const { code, choices } = place;
  if (!hasDepth(choices) || choices.hot === undefined) return [];
  const paying = { ...place, choices };
  return [await examined(`payouts of ${code}`, () => describePayouts(paying))];
}

async function describePayouts({
  database,
  catalogue,
  code,
  choices,
}: PayingNetwork & { readonly choices: DepthChoices }): Promise<Examined> {
  const network = catalogue.network(code);
  if (!network) throw new Error(`the catalogue has no network ${code}`);
  const depth = payoutDepthOf(choices, network, { hasWord: choices.kind === "evm" });
  const followed = await countFollowed(database, code);
  const lost = (await findUnfollowed(database)).filter(({ networkCode }) => networkCode === code);
  if (lost.length > 0) {
    return {
      found: lost.map(({ problem }) => problem).join("; "),
      fix: 'Somebody deleted the job in the database. docs/operating/payouts.md says how to restore it, under "A payout that no job follows".',
    };
  }
  return {
    found: `an order is completed when its payout is ${blocks(depth)} deep; ${followed} of them await their final block`,
  };
}
