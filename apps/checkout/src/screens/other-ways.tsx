import { useLayoutEffect, useRef } from "preact/hooks";
import { formatBrief } from "../amounts/format.ts";
import { named, t } from "../copy/later.ts";
import type { MethodOffers, Ordered } from "../machine/state.ts";
import { useDispatch } from "../ui/context.ts";
import { Notice } from "../ui/parts.tsx";
import { kindOn } from "../ui/words.ts";
import { timeOf } from "./method.tsx";
import { useReadable } from "./use-readable.ts";

/** The reason why no way is listed. */
const OUTCOMES = {
  requested: undefined,
  sent: undefined,
  open: "ways.none",
  refused: "ways.refused",
  unreachable: "boot.unreachable",
} as const;

/** After a refused card: the transfers that can pay for the same order, each with what it brings and how long it takes. */
export function OtherWays({ stage }: { readonly stage: Ordered }) {
  const dispatch = useDispatch("ordered");
  const { methods } = stage;
  const isSent = methods?.status === "requested" || methods?.status === "sent" || undefined;
  const outcome = methods && OUTCOMES[methods.status];
  if (!methods || methods.offers.length === 0) {
    return (
      <>
        {outcome && (
          <Notice>
            <p role="alert">{t(outcome)}</p>
          </Notice>
        )}
        <button
          type="button"
          class="second-button wide"
          aria-disabled={isSent}
          onClick={() => dispatch({ type: "methodsRequested" })}
        >
          {t("ways.button")}
        </button>
      </>
    );
  }
  return <Offers stage={stage} methods={methods} />;
}

interface OffersProps {
  readonly stage: Ordered;
  readonly methods: MethodOffers;
}

/** The list takes the focus from the button that asked for it, which is gone. */
function Offers({ stage, methods }: OffersProps) {
  const dispatch = useDispatch("ordered");
  const { order, locale } = stage;
  const isReadable = useReadable(methods.offers.map(({ receive }) => receive.amount).join());
  const isBusy = methods.status === "sent" || !isReadable;
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus();
  }, []);
  return (
    <section class="choices" aria-labelledby="ways-title">
      <h2 id="ways-title" ref={heading} tabIndex={-1}>
        {t("ways.title")}
      </h2>
      {methods.offers.map(({ quoteId, paymentMethod, receive, time }) => (
        <button
          key={paymentMethod.id}
          type="button"
          class="choice"
          aria-disabled={isBusy || undefined}
          onClick={() => isBusy || dispatch({ type: "methodChosen", quoteId })}
        >
          <span class="choice-words">
            <span class="option-name">{named(paymentMethod.name)}</span>
            {time && <span class="hint">{timeOf({ time }, locale)}</span>}
          </span>
          <span class="choice-result">
            <bdi>{formatBrief(receive, kindOn(order.operationType, "receive"), locale)}</bdi>
          </span>
        </button>
      ))}
    </section>
  );
}
