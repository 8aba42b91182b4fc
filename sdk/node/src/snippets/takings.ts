import { type Exchange, formatUnits, toUnits } from "@exchange/node";

/** The total price of completed orders created in a period, in Canadian dollars. Unix seconds. */
export async function takings(exchange: Exchange, from: number, to: number): Promise<string> {
  let cents = 0n;
  const query = { status: "completed", createdFrom: from, createdTo: to, limit: 100 } as const;
  for await (const order of exchange.orders.list(query)) {
    if (order.totalPriceCurrency === "CAD") cents += toUnits(order.totalPrice, 2);
  }
  return formatUnits(cents, 2);
}
