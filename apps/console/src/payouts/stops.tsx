import type { AdminStop, Me } from "@exchange/contract/admin";
import { callWhole, type Listed } from "../api.ts";
import { say, sayList, sayTime } from "../say.ts";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { useAction } from "../ui/use-data.ts";

type StopKey = Pick<AdminStop, "kind" | "subject">;

/** Returns the name of a stop: "A rail chain:bitcoin". */
export const stopName = ({ kind, subject }: StopKey): string =>
  kind === "all" ? say("payouts.everything") : `${say(`payouts.kind_${kind}`)} ${subject}`;

const idOf = ({ kind, subject }: StopKey): string => `stop ${kind} ${subject}`;

/** Returns the notice of a stop on this screen. The focus brings it into sight. */
export const findStop = (stop: StopKey): HTMLElement | null => document.getElementById(idOf(stop));

/** Stops in force, each with the button by which one of two people agrees to end it. */
export function Stops(props: {
  readonly stops: readonly AdminStop[];
  readonly mayResume: boolean;
  readonly me: Me;
  readonly onChange: (stops: Listed<AdminStop>) => void;
}) {
  const { isBusy, error, run } = useAction();
  if (props.stops.length === 0) return null;
  const resume = ({ kind, subject, reason }: AdminStop) =>
    run(async () =>
      props.onChange(
        await callWhole<Listed<AdminStop>>("/stops/resume", {
          method: "POST",
          body: { kind, subject, stopReason: reason },
        }),
      ),
    );
  return (
    <section>
      <h2>{say("payouts.stops")}</h2>
      <ErrorNotice error={error} />
      {props.stops.map((stop) => (
        <div key={idOf(stop)} id={idOf(stop)} tabIndex={-1} class="notice danger">
          <p>
            <strong>{stopName(stop)}</strong>: {stop.reason}
          </p>
          <p class="small">
            {stop.setBy}, {sayTime(stop.since)}.{" "}
            {say("payouts.agreed", { count: stop.agreed.length, needed: stop.peopleToResume })}{" "}
            {sayList(stop.agreed)}
          </p>
          {stop.agreed.includes(props.me.email) && <p>{say("payouts.own_agreement")}</p>}
          {props.mayResume && !stop.agreed.includes(props.me.email) && (
            <button
              type="button"
              class="button"
              aria-disabled={isBusy}
              onClick={() => resume(stop)}
            >
              {say("payouts.resume")}
            </button>
          )}
        </div>
      ))}
    </section>
  );
}
