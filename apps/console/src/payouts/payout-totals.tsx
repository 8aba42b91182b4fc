import type { PayoutTotal } from "@exchange/contract/admin";
import { linkTo } from "../route.ts";
import { say, sayAmount, sayEuro, sayNumber } from "../say.ts";
import { Table } from "../ui/table.tsx";

/** The exact sum of the payouts by currency. A currency leads to its payouts, with the other filters. */
export function PayoutTotals(props: {
  readonly totals: readonly PayoutTotal[];
  readonly filters: Readonly<Record<string, string>>;
}) {
  const figures = [say("order.amount"), say("payouts.count"), say("payouts.value")];
  return (
    <section>
      <h2>{say("payouts.totals")}</h2>
      <Table
        isDense
        caption={say("payouts.totals")}
        figures={figures}
        columns={[say("money.currency"), ...figures]}
        rows={props.totals.map(({ amount, count, countsAsEuroCents }) => ({
          key: amount.currency,
          cells: [
            <a
              key="currency"
              href={linkTo("payouts", { ...props.filters, currency: amount.currency })}
              aria-current={props.filters["currency"] === amount.currency ? "true" : undefined}
            >
              {amount.currency.toUpperCase()}
            </a>,
            <span key="amount" class="amount">
              {sayAmount(amount)}
            </span>,
            sayNumber(count),
            sayEuro(countsAsEuroCents),
          ],
        }))}
      />
    </section>
  );
}
