import { expect } from "vitest";
import type { OrderView } from "../../../apps/server/src/domain/orders/view.ts";
import { FAILPOINTS } from "../../../apps/server/src/failpoints.ts";
import { readBalance } from "../../../apps/server/src/storage/ledger/balances.ts";
import { statement } from "../../../apps/server/src/storage/postgres/database.ts";
import { found } from "../../../apps/server/src/testing/catalogue.ts";
import { ORDERS, placeAndAsk } from "../../../apps/server/src/testing/orders.ts";
import { openSession } from "../../../apps/server/src/testing/world.ts";
import type { PayingService } from "./paying-service.ts";
import type { Workers } from "./workers.ts";

const MOVES = statement(
  "test_moves_by_deadline",
  `select send.purpose, send.state, send.place, send.dead_by as "deadBy", wallet.kind,
     wallet.address as "from", o.address as "to", o.units::text as units, t.hash
   from chain_sends send join chain_wallets wallet on wallet.id = send.wallet_id
     join chain_send_outputs o on o.send_id = send.id
     left join chain_transactions t on t.send_id = send.id
   where send.purpose in ('sweep', 'top_up') order by send.created_at, send.id`,
);

export interface ExpiringMove {
  readonly purpose: "sweep" | "top_up";
  readonly state: string;
  readonly place: string | null;
  readonly deadBy: string | null;
  readonly kind: string;
  readonly from: string;
  readonly to: string;
  readonly units: string;
  readonly hash: string | null;
}

export const haveEnded = (moves: readonly ExpiringMove[]): boolean =>
  moves.length > 0 && moves.every(({ state }) => ["final", "failed", "dead"].includes(state));

/** A world whose transactions have deadlines. */
export interface ExpiringWorld extends PayingService {
  grow(): Promise<void>;
}

/** The parts that differ between networks. */
export interface SweptAssets<Spend extends string> {
  readonly hot: string;
  /** An address that a customer has. */
  readonly refunds: string;
  readonly assets: readonly Spend[];
  /** Returns what the chain itself says that an address has. */
  holds(address: string, asset: Spend): Promise<bigint>;
  /** Pays an order as its customer does. */
  deposit(view: OrderView): Promise<void>;
}

/** Orders of customers who sell coins, and the moves that collect the coins. */
export interface ExpiringSweeping<Spend extends string> {
  sell(spend: Spend, amount: string): Promise<OrderView>;
  addressOf(view: OrderView): string;
  /** Pays an order as its customer does. */
  deposit(view: OrderView): Promise<void>;
  moves(): Promise<readonly ExpiringMove[]>;
  /** Lets the chain grow until the condition holds. */
  growUntil(condition: () => Promise<boolean>, timeout?: number): Promise<void>;
  /** Throws unless the books have what the hot wallet and the deposit addresses of the orders hold, to the unit. */
  requireSameBooks(views: readonly OrderView[]): Promise<void>;
}

export const addressOf = (view: OrderView): string =>
  found(found(view.instruction).address ?? undefined);

export function makeExpiringSweeping<Spend extends string>(
  world: ExpiringWorld,
  { hot, refunds, assets, holds, deposit }: SweptAssets<Spend>,
): ExpiringSweeping<Spend> {
  const growUntil: ExpiringSweeping<Spend>["growUntil"] = (condition, timeout = 120_000) =>
    expect.poll(() => world.grow().then(condition), { timeout, interval: 100 }).toBe(true);
  const booked = (reference: Spend): Promise<bigint> => {
    const { deps } = world.service();
    const { id } = found(deps.catalogue().currencyByCodeOrReference(reference));
    const of = { merchantId: "all", purpose: "chain_wallet", assetId: id };
    return readBalance(deps.database, of);
  };
  return {
    addressOf,
    deposit,
    growUntil,
    sell: (spend, amount) => {
      const { deps } = world.service();
      const request = { ...ORDERS.sell.request, refundAddress: refunds };
      const wanted = { ...ORDERS.sell, spend, amount, request };
      return placeAndAsk({ deps, openSession: (id) => openSession(deps, id) }, wanted);
    },
    moves: () => world.world.database.query<ExpiringMove>(MOVES),
    requireSameBooks: async (views) => {
      const addresses = [hot, ...views.map(addressOf)];
      for (const asset of assets) {
        await growUntil(async () => {
          const held = await Promise.all(addresses.map((address) => holds(address, asset)));
          return held.reduce((sum, units) => sum + units, 0n) === (await booked(asset));
        });
      }
    },
  };
}

/** Kills a worker at each step of a sweep in turn, and another one goes on. Returns the orders, whose coins are swept. */
export async function sweepThroughCrashes<Spend extends string>(
  { sweeping, workers }: { readonly sweeping: ExpiringSweeping<Spend>; readonly workers: Workers },
  {
    spend,
    amount,
    movesEach,
  }: { readonly spend: Spend; readonly amount: string; readonly movesEach: number },
): Promise<{ readonly views: readonly OrderView[]; readonly worker: { kill(): Promise<void> } }> {
  const steps = FAILPOINTS.filter((name) => name.startsWith("sweep."));
  const views: OrderView[] = [];
  for (const step of steps) {
    const view = await sweeping.sell(spend, amount);
    views.push(view);
    await sweeping.deposit(view);
    const doomed = await workers.start(step);
    expect([step, await doomed.ended]).toEqual([step, "SIGKILL"]);
  }
  const worker = await workers.start();
  const isDone = async (): Promise<boolean> => {
    const moves = await sweeping.moves();
    return (
      moves.length === movesEach * views.length && moves.every(({ state }) => state === "final")
    );
  };
  await expect.poll(isDone, { timeout: 180_000, interval: 200 }).toBe(true);
  return { views, worker };
}
