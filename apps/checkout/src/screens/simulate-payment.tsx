import { t } from "../copy/later.ts";
import type { Ordered } from "../machine/state.ts";
import { useDispatch } from "../ui/context.ts";

const PAYMENTS = ["exact", "less", "more", "late"] as const;

/** The sandbox's line: buttons that simulate the payment with the session's own token. */
export function SimulatePayment({ stage }: { readonly stage: Ordered }) {
  const dispatch = useDispatch("ordered");
  const { simulation } = stage;
  if (stage.session.environment === "prod" || stage.connection === "timed_out") return null;
  return (
    <section class="sandbox-line" aria-labelledby="simulate-title">
      <h2 id="simulate-title">{t("simulate.title")}</h2>
      <div class="sandbox-choices">
        {PAYMENTS.map((payment) => (
          <button
            key={payment}
            type="button"
            class="quiet-button"
            aria-disabled={simulation === "sent" || undefined}
            onClick={() => dispatch({ type: "simulatePressed", payment })}
          >
            {t(`simulate.${payment}`)}
          </button>
        ))}
      </div>
      {(simulation === "refused" || simulation === "unreachable") && (
        <p class="hint" role="alert">
          {t(simulation === "refused" ? "simulate.refused" : "boot.unreachable")}
        </p>
      )}
    </section>
  );
}
