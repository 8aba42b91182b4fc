import type { OrderStory } from "@exchange/contract/admin";
import { say, sayAmount, sayList, sayTime, sayWord } from "../say.ts";

type Entry = OrderStory["entries"][number];

const isRevenue = (account: string): boolean => account.endsWith("revenue");
const isTaken = (amount: string): boolean => amount.startsWith("-");
/** Returns a credit as a positive number, as people read revenue. A reversal becomes negative. */
const asRevenue = (amount: string): string => (isTaken(amount) ? amount.slice(1) : `-${amount}`);

/** The path of the money from the customer to the payee. Each ledger entry is a step, with the revenue that it takes. */
export function MoneyFlow({ story }: { readonly story: OrderStory }) {
  const { entries, payouts } = story;
  if (entries.length === 0) return null;
  const sent = payouts.filter(({ state }) => state !== "void");
  return (
    <section class="card">
      <h2>{say("order.flow")}</h2>
      <ol class="flow">
        <li class="end">
          <strong>{say("order.customer")}</strong>
          <span>{sayAmount(story.received ?? story.spend)}</span>
        </li>
        {entries.map((entry) => (
          <Step key={entry.key} entry={entry} />
        ))}
        {sent.map((payout) => (
          <li key={payout.payoutId} class="end">
            <strong>
              {payout.purpose === "payout" ? say("order.payee") : say("order.customer")}
            </strong>
            <span>
              {sayAmount(payout.amount)} ({sayWord("payout", payout.state)})
            </span>
            {payout.address && <code class="small">{payout.address}</code>}
          </li>
        ))}
        {sent.length === 0 && <li class="end muted">{say("order.not_sent")}</li>}
      </ol>
    </section>
  );
}

/** One entry: the money that it moves and between which accounts, and the revenue that it takes. Debits are positive. */
function Step({ entry: { kind, at, postings } }: { readonly entry: Entry }) {
  const moved = postings.filter(({ amount }) => !isTaken(amount.amount));
  const revenue = postings.filter(({ account }) => isRevenue(account));
  const accounts = postings.filter(({ account }) => !isRevenue(account));
  return (
    <li>
      <strong>{sayWord("entry", kind)}</strong>
      <span>{sayList(moved.map(({ amount }) => sayAmount(amount)))}</span>
      <span class="muted small">
        {sayTime(at)}, {sayList(accounts.map(({ account }) => sayWord("books", account)))}
      </span>
      {revenue.map(({ account, amount }) => (
        <span key={account} class="small">
          {sayWord("books", account)}: {sayAmount({ ...amount, amount: asRevenue(amount.amount) })}
        </span>
      ))}
    </li>
  );
}
