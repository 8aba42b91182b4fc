import { expect } from "vitest";
import type { OrderView } from "../../../apps/server/src/domain/orders/view.ts";
import { readBalance } from "../../../apps/server/src/storage/ledger/balances.ts";
import { statement } from "../../../apps/server/src/storage/postgres/database.ts";
import { found } from "../../../apps/server/src/testing/catalogue.ts";
import { ORDERS, placeAndAsk } from "../../../apps/server/src/testing/orders.ts";
import { openSession } from "../../../apps/server/src/testing/world.ts";
import { CONTRACTS, type PayingWorld } from "./paying-world.ts";

const MOVES = statement(
  "test_list_moves",
  `select send.id, send.purpose, send.state, send.place::int as place, wallet.role,
     o.units::text as units, (select count(*)::int from chain_transactions t
       where t.send_id = send.id) as signed
   from chain_sends send join chain_wallets wallet on wallet.id = send.wallet_id
     left join chain_send_outputs o on o.send_id = send.id
   where send.purpose in ('sweep', 'top_up', 'cancel') order by send.created_at, send.id`,
);

export interface ListedMove {
  readonly id: string;
  readonly purpose: "sweep" | "top_up" | "cancel";
  readonly state: string;
  readonly place: number;
  readonly role: string;
  readonly units: string | null;
  /** The number of its signed transactions. */
  readonly signed: number;
}

/** Orders of customers who sell, and the moves that collect their coins. */
export interface Sweeping {
  sell(spend: "eth" | "usdt-ethereum", amount: string): Promise<OrderView>;
  addressOf(view: OrderView): string;
  /** Pays an order as its customer does. Each of them has coins and tokens enough. */
  deposit(view: OrderView): Promise<void>;
  moves(): Promise<readonly ListedMove[]>;
  /** Mines until the condition holds: a sweep of a token takes two transactions that must be final. */
  mineUntil(condition: () => Promise<boolean>, beforeEach?: () => Promise<void>): Promise<void>;
  /** Returns what the books of all merchants have in our wallets. */
  booked(reference: string): Promise<bigint>;
}

export const word = (value: bigint | string): string =>
  (typeof value === "bigint" ? value.toString(16) : value.slice(2).toLowerCase()).padStart(64, "0");

export function makeSweeping(world: PayingWorld): Sweeping {
  const addressOf = (view: OrderView): string =>
    found(found(view.instruction).address ?? undefined);
  return {
    addressOf,
    sell: (spend, amount) => {
      const { deps } = world.service();
      const wanted = { ...ORDERS.sell, spend, amount };
      return placeAndAsk({ deps, openSession: (id) => openSession(deps, id) }, wanted);
    },
    deposit: async (view) => {
      const { units, assetId } = found(view.instruction);
      const to = addressOf(view);
      const { contractAddress } = world.service().deps.catalogue().requireCurrency(assetId);
      if (contractAddress === null) return void (await world.send({ to, value: units }));
      const [, stranger = ""] = await world.node.call<string[]>("eth_accounts");
      const slot = await world.node.call("web3_sha3", `0x${word(stranger)}${word(0n)}`);
      await world.node.call("anvil_setStorageAt", CONTRACTS.usdt, slot, `0x${word(10n ** 12n)}`);
      await world.send({ to: CONTRACTS.usdt, data: `0xa9059cbb${word(to)}${word(units)}` });
    },
    moves: () => world.world.database.query<ListedMove>(MOVES),
    mineUntil: async (condition, beforeEach) => {
      const mined = async (): Promise<boolean> => {
        await beforeEach?.();
        await world.mine(1);
        return condition();
      };
      await expect.poll(mined, { timeout: 60_000, interval: 200 }).toBe(true);
    },
    booked: async (reference) => {
      const { deps } = world.service();
      const { id } = found(deps.catalogue().currencyByCodeOrReference(reference));
      const of = { merchantId: "all", purpose: "chain_wallet", assetId: id };
      return readBalance(deps.database, of);
    },
  };
}
