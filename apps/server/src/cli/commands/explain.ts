import { heldOf } from "../../flows/orders/held-money.ts";
import { readStory } from "../../flows/orders/read-story.ts";
import { readAssets } from "../../storage/orders/story.ts";
import type { Command } from "../command.ts";
import { type AmountWords, amountWordsOf } from "../explain/amounts.ts";
import { type FullOrderStory, storyWords } from "../explain/story-words.ts";
import { ORDER, orderIdOf } from "../operator-options.ts";
import { withDatabase } from "../with-database.ts";

export const ordersExplain: Command = {
  name: "orders explain",
  summary:
    "Tell the whole story of an order: price, payments, ledger, payouts, webhooks, next steps.",
  options: { order: ORDER },
  argument: "order",
  example: "orders explain --order 1000123456789",
  run: (context, input) => {
    const orderId = orderIdOf(input);
    return withDatabase(context, async (deps) => {
      const read = await readStory(deps, { orderId, merchantId: null });
      const { rows, person, notes } = read;
      const order = { ...rows.order, ...person };
      const story = { ...rows, order, notes, reviewer: read.reviewer ?? null };
      const amount = amountWordsOf(await readAssets(deps.database));
      const text = storyWords(story, amount, heldOf(read.order, read.money));
      return { json: withAmounts(story, amount), text };
    });
  },
};

/** Returns the rows for a program. Each amount is also given in whole coins. */
function withAmounts(story: FullOrderStory, amount: AmountWords): unknown {
  const add = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(add);
    if (typeof value !== "object" || value === null) return value;
    const members = Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, add(one)]),
    );
    const { assetId, units } = members;
    return typeof assetId === "number" && typeof units === "string"
      ? { ...members, amount: amount({ assetId, units }) }
      : members;
  };
  return add(story);
}
