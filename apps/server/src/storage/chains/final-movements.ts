import type { Asset } from "@exchange/money";
import { money } from "@exchange/money";
import { floatEntry } from "../../domain/ledger/house-entries.ts";
import { bookHouseEntry } from "../ledger/house.ts";
import { statement, type Tx } from "../postgres/database.ts";
import { boolean, integer, nullable, records, table, text, units } from "../postgres/table.ts";
import type { ChainMovement } from "./movements.ts";
import { IS_REFILL, type StoredWalletMovement } from "./wallet-movements.ts";

const UNBOOKED = table({
  id: text(),
  address: text(),
  asset_id: integer(),
  units: units(),
  block_hash: text(),
  transaction_hash: nullable(text()),
  source: text(),
  is_deposit: boolean(),
});

const QUEUE = statement(
  "chain_unbooked_queue",
  `with final as materialized (
     select ${UNBOOKED.names} from ${records("movements", UNBOOKED.definitions)}),
   queued as (
     insert into chain_unbooked (network_code, ${UNBOOKED.names})
     select $2, ${UNBOOKED.names} from final)
   insert into chain_books as books (network_code, asset_id, opening_units, chain_units)
   select $2, asset_id, 0, sum(units) from final group by asset_id order by asset_id
   on conflict (network_code, asset_id)
     do update set chain_units = books.chain_units + excluded.chain_units`,
);
// The movements of a dropped deposit address that was emptied need not be watched for. A tag holds no coins.
const NOTE_COINS = statement(
  "chain_addresses_note_coins",
  `update chain_addresses a set has_coins = exists (
     select from (
       select asset_id, units from chain_movements m
         where m.network_code = a.network_code and m.address = a.address and m.state = 'final'
       union all
       select asset_id, units from chain_wallet_movements m
         where m.network_code = a.network_code and m.address = a.address and m.state = 'final') moved
     group by asset_id having sum(units) <> 0)
   where network_code = $1 and address = any($2::text[]) and address not like '%?%'`,
);
const LIST_REFILLS = statement(
  "chain_unbooked_list_refills",
  `select unbooked.id, unbooked.units::text as units, unbooked.transaction_hash as "transactionHash",
     c.id as "assetId", c.code, c.decimals, c.published_decimals as "publishedDecimals"
   from chain_unbooked unbooked
     join currencies c on c.id = unbooked.asset_id
     join chain_wallet_movements movement
       on movement.network_code = unbooked.network_code and movement.id = unbooked.id
   where unbooked.network_code = $1 and not unbooked.is_deposit and ${IS_REFILL}
   order by unbooked.id`,
);
const BOOKED = statement(
  "chain_unbooked_booked",
  "delete from chain_unbooked where network_code = $1 and id = $2",
);

/**
 * Counts movements that became final in the balances of the chain, and queues them for the books. Coins that reached
 * a hot wallet or a gas tank from outside are capital of the house and are booked at once.
 */
export async function countFinal(
  tx: Tx,
  networkCode: string,
  final: {
    readonly deposits: readonly ChainMovement[];
    readonly wallets: readonly StoredWalletMovement[];
  },
): Promise<void> {
  const movements = [
    ...final.deposits.map((movement) => ({ ...movement, isDeposit: true })),
    ...final.wallets.map((movement) => ({ ...movement, isDeposit: false })),
  ];
  if (movements.length === 0) return;
  const list = JSON.stringify({ movements: movements.map(UNBOOKED.write) });
  await tx.write(QUEUE, [list, networkCode]);
  const addresses = [...new Set(movements.map(({ address }) => address))];
  await tx.write(NOTE_COINS, [networkCode, addresses]);
  if (final.wallets.some(({ units }) => units > 0n)) await bookRefills(tx, networkCode);
}

interface RefillRow extends Omit<Asset, "id"> {
  readonly id: string;
  readonly assetId: number;
  readonly units: string;
  readonly transactionHash: string | null;
}

async function bookRefills(tx: Tx, networkCode: string): Promise<void> {
  for (const { id, assetId, units, transactionHash, ...asset } of await tx.query<RefillRow>(
    LIST_REFILLS,
    [networkCode],
  )) {
    const amount = money({ ...asset, id: assetId }, BigInt(units));
    const name = floatName(networkCode, id, transactionHash);
    await bookHouseEntry(tx, floatEntry({ networkCode, name, amount, direction: "in" }));
    await tx.write(BOOKED, [networkCode, id]);
  }
}

/** The number of a token's log, or of an output of coins. */
const LOG_NUMBER = /:(?:log|out)(\d+):/;

/**
 * Returns the transaction and the number of its log or output. A movement without one, as on Solana, is named by its own
 * id, because a transaction may bring several assets, and pay several wallets of ours.
 */
function floatName(networkCode: string, id: string, transactionHash: string | null): string {
  const [, number] = LOG_NUMBER.exec(id) ?? [];
  return transactionHash === null || number === undefined
    ? id.slice(networkCode.length + 1)
    : `${transactionHash}:${number}`;
}
