import type { OrderStory } from "@exchange/contract/admin";
import { Postings } from "../money/postings.tsx";
import { sayWait } from "../payouts/waits.ts";
import { say, sayAmount, sayList, sayReason, sayTime, sayWord } from "../say.ts";
import { Table } from "../ui/table.tsx";

export function Payments({ story: { attempts, deposits } }: { readonly story: OrderStory }) {
  if (attempts.length + deposits.length === 0) return null;
  return (
    <section>
      <h2>{say("order.payments")}</h2>
      <Table
        caption={say("order.payments")}
        columns={[
          say("order.at"),
          say("order.way"),
          say("order.amount"),
          say("order.state"),
          say("order.reference"),
        ]}
        rows={[
          ...attempts.map((one) => ({
            key: one.paymentId,
            cells: [
              sayTime(one.at),
              `${one.brand} •••• ${one.lastFour}`,
              sayAmount(one.amount),
              [sayWord("card", one.status), one.declineReason, one.threeDSecure]
                .filter(Boolean)
                .join(", ")
                .replaceAll("_", " "),
              <code key="id">{one.paymentId}</code>,
            ],
          })),
          ...deposits.map((one) => ({
            key: one.reference,
            cells: [
              sayTime(one.at),
              one.rail,
              sayAmount(one.amount),
              one.confirmationsRequired === null
                ? sayWord("deposit", one.state)
                : `${sayWord("deposit", one.state)}, ${one.confirmations} / ${one.confirmationsRequired}`,
              <code key="id">{one.reference}</code>,
            ],
          })),
        ]}
      />
    </section>
  );
}

export function Payouts({ story: { payouts } }: { readonly story: OrderStory }) {
  if (payouts.length === 0) return null;
  return (
    <section>
      <h2>{say("order.payouts")}</h2>
      <Table
        caption={say("order.payouts")}
        columns={[
          say("order.at"),
          say("payouts.purpose"),
          say("order.amount"),
          say("order.state"),
          say("order.reference"),
        ]}
        rows={payouts.map((one) => ({
          key: one.payoutId,
          cells: [
            sayTime(one.at),
            sayWord("purpose", one.purpose),
            sayAmount(one.amount),
            [
              sayWord("payout", one.state),
              one.waitsFor === null ? null : sayWait(one.wait, one.waitsFor),
              ...one.stops,
              one.approvedBy.length > 0 &&
                say("payouts.approved_by", { people: sayList(one.approvedBy) }),
            ]
              .filter(Boolean)
              .join("; "),
            <code key="id">{one.transactionHash ?? one.payoutId}</code>,
          ],
        }))}
      />
    </section>
  );
}

export function Webhooks({ story: { webhooks } }: { readonly story: OrderStory }) {
  if (webhooks.length === 0) return null;
  return (
    <section>
      <h2>{say("order.webhooks")}</h2>
      <Table
        caption={say("order.webhooks")}
        columns={[say("order.at"), say("order.event"), say("order.deliveries")]}
        rows={webhooks.map((event) => ({
          key: `${event.eventType} ${event.at}`,
          cells: [
            sayTime(event.at),
            event.eventType,
            event.deliveries.length === 0
              ? say("order.no_endpoint")
              : event.deliveries
                  .map(
                    ({ origin, state, attempts }) =>
                      `${origin}: ${sayWord("status", state)} (${attempts.map(({ status, fault }) => status ?? fault).join(", ")})`,
                  )
                  .join("; "),
          ],
        }))}
      />
    </section>
  );
}

export function Books({ story: { entries } }: { readonly story: OrderStory }) {
  if (entries.length === 0) return null;
  return (
    <section>
      <h2>{say("order.books")}</h2>
      <Table
        caption={say("order.books")}
        columns={[say("order.at"), say("order.entry"), say("order.postings")]}
        rows={entries.map((entry) => ({
          key: entry.key,
          cells: [
            sayTime(entry.at),
            sayWord("entry", entry.kind),
            <Postings key="postings" postings={entry.postings} />,
          ],
        }))}
      />
    </section>
  );
}

export function Decisions({ story: { decisions, jobs } }: { readonly story: OrderStory }) {
  return (
    <>
      {decisions.length > 0 && (
        <section>
          <h2>{say("order.decisions")}</h2>
          <Table
            caption={say("order.decisions")}
            columns={[say("order.at"), say("audit.person"), say("audit.did"), say("audit.reason")]}
            rows={decisions.map(({ at, person, action, reason }) => ({
              key: `${at} ${action}`,
              cells: [sayTime(at), person, sayWord("did", action), sayReason(reason)],
            }))}
          />
        </section>
      )}
      {jobs.length > 0 && (
        <section>
          <h2>{say("order.jobs")}</h2>
          <Table
            caption={say("order.jobs")}
            columns={[say("order.job"), say("order.at"), say("order.tries")]}
            rows={jobs.map(({ kind, runAt, attempts, lastError }) => ({
              key: kind,
              cells: [
                sayWord("job", kind),
                sayTime(runAt),
                `${attempts}${lastError ? `: ${lastError}` : ""}`,
              ],
            }))}
          />
        </section>
      )}
    </>
  );
}
