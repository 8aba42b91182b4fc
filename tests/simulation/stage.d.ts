import type { OrderView } from "../../apps/server/src/storage/orders/views.ts";
import { type Statement } from "../../apps/server/src/storage/postgres/database.ts";
import { type World } from "../../apps/server/src/testing/world.ts";
/** A Bitcoin address whose checksum is right. */
export declare const BITCOIN_ADDRESS = "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu";
export declare const APPROVED_CARD = "4000000000002701";
export interface Seat {
  readonly sessionId: string;
  readonly tokenJti: string;
}
/** Places the order of a session from one of its quotes, as a tab does. */
export declare const placeIn: (
  world: World,
  seat: Seat,
  quoteId: string,
  walletAddress?: string,
) => Promise<OrderView>;
/** A new session with its order: 100 euro for bitcoin, by card. */
export declare function placed(world: World): Promise<OrderView>;
export declare const payByCard: (
  world: World,
  { order }: OrderView,
  number?: string,
) => Promise<OrderView>;
export declare const look: (world: World, orderId: bigint) => Promise<OrderView>;
/** Waits until the order is as wished; the failure tells where it stands instead. */
export declare function until(
  world: World,
  orderId: bigint,
  done: (view: OrderView) => boolean,
): Promise<OrderView>;
/** Runs the workers while the scene plays. */
export declare function withWorkers<T>(
  world: World,
  count: number,
  scene: () => Promise<T>,
): Promise<T>;
/** A statement of the test's own, named by its text. */
export declare const sql: (text: string) => Statement;
export declare function count(
  world: World,
  text: string,
  values: readonly unknown[],
): Promise<number>;
//# sourceMappingURL=stage.d.ts.map
