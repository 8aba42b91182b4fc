import type { Overview } from "@exchange/contract/admin";
import { linkTo } from "../route.ts";
import { say, sayEuro, sayNumber, sayTime, zoneName } from "../say.ts";

/** Orders of the last 24 hours. Each number opens the list of exactly the orders that it counts, by the same bounds. */
export function LastDay({ overview: { lastDay } }: { readonly overview: Overview }) {
  const bounds = { from: String(lastDay.from), before: String(lastDay.before) };
  const counts = [
    [say("home.placed"), lastDay.placed, bounds],
    [say("home.completed"), lastDay.completed, { ...bounds, status: "completed" }],
    [say("home.refunded"), lastDay.refunded, { ...bounds, status: "refunded" }],
  ] as const;
  return (
    <section>
      <h2>{say("home.last_day")}</h2>
      <p class="muted">
        {say("home.last_day_text", { time: sayTime(lastDay.from), zone: zoneName() })}
      </p>
      <dl class="figures">
        {counts.map(([name, count, filters]) => (
          <div key={name} class="card">
            <dt>{name}</dt>
            <dd>
              <Count name={name} count={count} link={linkTo("orders", filters)} />
            </dd>
          </div>
        ))}
        <div class="card">
          <dt>{say("home.paid_out")}</dt>
          <dd>{sayEuro(lastDay.paidOutEuroCents)}</dd>
        </div>
      </dl>
    </section>
  );
}

/** A number that opens the list of the things that it counts. */
export const Count = (props: {
  readonly name: string;
  readonly count: number;
  readonly link: string;
}) => (
  <a class="count" href={props.link} aria-label={say("home.open_list", props)}>
    {sayNumber(props.count)}
  </a>
);
