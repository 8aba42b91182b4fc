import type { EventItem, Exchange } from "@exchange/node";

/** Handles every event once and in order, without webhooks. Returns the sequence to continue after. */
export async function handleNewEvents(
  exchange: Exchange,
  after: number,
  handle: (event: EventItem) => Promise<void>,
): Promise<number> {
  let last = after;
  for await (const event of exchange.events.list({ after, limit: 100 })) {
    await handle(event); // and store event.sequence with what it changes
    last = event.sequence;
  }
  return last;
}
