import type { Break } from "../../domain/ledger/audit-facts.ts";
import { storeFindings } from "../audit/breaks.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";

const LIST = statement(
  "chain_silent_assets_list",
  `select silent.asset_id as "assetId", c.reference as "assetReference",
     silent.since_height::text as "sinceHeight"
   from chain_silent_assets silent join currencies c on c.id = silent.asset_id
   where silent.network_code = $1 order by c.reference`,
);
const ADD = statement(
  "chain_silent_assets_add",
  `insert into chain_silent_assets (network_code, asset_id, since_height)
   select $1, unnest($2::int[]), $3 on conflict do nothing returning asset_id`,
);
const FORGET = statement(
  "chain_silent_assets_forget",
  `delete from chain_silent_assets where network_code = $1 and asset_id <> all($2::int[])
   returning asset_id`,
);

/** A token whose contract does not say balances since a final block. */
export interface SilentAsset {
  readonly assetId: number;
  readonly assetReference: string;
  readonly sinceHeight: string;
}

export const listSilentAssets = (
  queryable: Queryable,
  networkCode: string,
): Promise<SilentAsset[]> => queryable.query<SilentAsset>(LIST, [networkCode]);

/**
 * Records the tokens that report no balance at a final block. Each is an open break of the audit until it answers.
 * It stops no payouts: those of the token wait, and everything else continues.
 */
export async function noteSilentAssets(
  tx: Tx,
  networkCode: string,
  { assetIds, height }: { readonly assetIds: readonly number[]; readonly height: bigint },
): Promise<void> {
  const gone = await tx.query(FORGET, [networkCode, assetIds]);
  const added = assetIds.length > 0 ? await tx.query(ADD, [networkCode, assetIds, height]) : [];
  if (gone.length + added.length === 0) return;
  const breaks = (await listSilentAssets(tx, networkCode)).map(
    ({ assetReference, sinceHeight }): Break => ({
      check: "a token says its balances",
      problem: `the contract of ${assetReference} says no balance since block ${sinceHeight}`,
    }),
  );
  await storeFindings(tx, [{ subject: `tokens:${networkCode}`, breaks, isWhole: true }]);
}
