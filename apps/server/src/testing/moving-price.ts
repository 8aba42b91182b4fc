import { type Decimal, multiplyDecimals } from "@exchange/money";
import type { OrderView } from "../domain/orders/view.ts";
import type { RateSource } from "../domain/ports/rate-source.ts";
import type { Deps } from "../flows/deps.ts";
import { offerPrice } from "../flows/orders/answer-price.ts";
import { Refusal } from "../flows/refusal.ts";
import { sandboxRates } from "../sandbox/rates/rate-source.ts";
import { advanceBusinessClock } from "../storage/installation.ts";
import { makeOrderWorld, ORDERS, type OrderWorld } from "./orders.ts";
import { MERCHANT_ID } from "./world.ts";

/** A world in which only the test moves the price of a bitcoin. */
export interface MovingWorld extends OrderWorld {
  /** Sets the price in thousandths of the sandbox's. Undefined means that there are no fresh prices. */
  priceAt(thousandths: bigint | undefined): void;
  /** Moves the business clock. */
  skip(seconds: number): Promise<void>;
  /** Returns an order that waits for its customer: bitcoin cost more when its transfer became final. */
  movedOrder(thousandths?: bigint): Promise<OrderView>;
  offerFor(view: OrderView): ReturnType<typeof offerPrice>;
}

export async function makeMovingWorld(overrides: Partial<Deps> = {}): Promise<MovingWorld> {
  let factor: Decimal | undefined = { units: 1000n, scale: 3 };
  let aheadMs = 0;
  const world = await makeOrderWorld({
    rates: ratesTimes(() => factor),
    clock: { now: () => new Date(Date.now() + aheadMs) },
    ...overrides,
  });
  const priceAt = (thousandths: bigint | undefined): void => {
    factor = thousandths === undefined ? undefined : { units: thousandths, scale: 3 };
  };
  return {
    ...world,
    priceAt,
    skip: async (seconds) => {
      await world.database.transaction((tx) => advanceBusinessClock(tx, seconds));
      aheadMs += seconds * 1000;
    },
    movedOrder: async (thousandths = 1010n) => {
      priceAt(1000n);
      const placed = await world.order(ORDERS.buyByBank);
      priceAt(thousandths);
      await world.pay(placed);
      return world.until(placed, ({ order }) => order.status === "in_review");
    },
    offerFor: (view) => offerPrice(world.deps, { ...keyOf(view), countryCode: undefined }),
  };
}

function ratesTimes(factorOf: () => Decimal | undefined): RateSource {
  const { forOrder: _, ...sandbox } = sandboxRates({ seed: "moving" });
  return {
    ...sandbox,
    name: "moving",
    prices: () => {
      // One moment, so that only the test moves the price.
      const table = sandbox.prices(new Date(1_800_000_000_000));
      const factor = factorOf();
      if (!table || !factor) return undefined;
      const price = (code: string) => {
        const usual = table.price(code);
        return usual && code === "BTC" ? multiplyDecimals(usual, factor) : usual;
      };
      return { ...table, price };
    },
  };
}

export const keyOf = ({ order }: OrderView) => ({
  merchantId: MERCHANT_ID,
  orderId: order.id,
  sessionId: order.sessionId,
});

/** Returns the code of the refusal, and "nothing" where the work succeeds. */
export const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "nothing",
    (error: unknown) => (error instanceof Refusal ? error.code : String(error)),
  );
