import type { QuoteData } from "@exchange/contract";
import { useRef, useState } from "preact/hooks";
import { operationSteps } from "../copy/operation-steps.ts";
import { steps } from "../copy/steps.ts";
import type { Choosing } from "../machine/state.ts";
import { kindOfMethod, progressOf, receivesCrypto, sendsCrypto } from "../machine/steps.ts";
import { useSecondsUntil } from "../ui/clock.ts";
import { useActions } from "../ui/context.ts";
import { ClockIcon } from "../ui/icons.tsx";
import { MainButton, Notice } from "../ui/parts.tsx";
import { Screen } from "../ui/screen.tsx";
import { amountsOf, networkName } from "../ui/words.ts";
import { Line, PriceLines } from "./price-lines.tsx";
import { ReviewDetails } from "./review-details.tsx";

/** Everything once more, at a held price, with the button that pays. */
export function ReviewScreen({ stage }: { readonly stage: Choosing }) {
  const { dispatch, announce } = useActions();
  const [unaccepted, setUnaccepted] = useState(false);
  const accept = useRef<HTMLButtonElement>(null);
  const { world, quote } = stage;
  const shop = world.session.merchant.name;
  if (!quote.quote) return null;
  const amounts = amountsOf(quote.quote, world.operation, world.locale);
  const copy = operationSteps(world.operation);
  const sends = sendsCrypto(world.operation);
  const busy = stage.placing !== "idle";
  const pay = (): void => {
    if (!quote.worseThan) return dispatch({ type: "placePressed" });
    setUnaccepted(true);
    announce(steps.review.acceptFirst);
    accept.current?.focus();
  };
  return (
    <Screen
      title={steps.review.title}
      shop={shop}
      step={progressOf(stage)}
      onBack={busy ? undefined : () => dispatch({ type: "wentBack" })}
    >
      <Headline stage={stage} amount={amounts.receive} />
      {stage.fault && (
        <Notice tone={stage.fault === "price_refreshed" ? "note" : "wrong"}>
          <p role="alert">{steps.submit[stage.fault]}</p>
        </Notice>
      )}
      {quote.worseThan && (
        <PriceChanged
          stage={stage}
          before={quote.worseThan}
          button={accept}
          stressed={unaccepted}
        />
      )}
      <PriceLines quote={quote.quote} operation={world.operation} locale={world.locale} />
      <ReviewDetails stage={stage} />
      <dl class="lines total">
        <Line label={steps.review.total[sends ? "send" : "pay"]} value={amounts.spend} strong />
      </dl>
      <Held stage={stage} />
      <p class="hint terms">{copy.terms(amounts.spend, shop)}</p>
      <div class="actions">
        <MainButton busy={busy} onClick={pay}>
          {busy
            ? stage.placing === "asking"
              ? steps.review.asking
              : steps.review.placing
            : buttonFor(stage, amounts.spend)}
        </MainButton>
      </div>
    </Screen>
  );
}

/** What the customer gets, and how it comes. */
const Headline = ({ stage, amount }: { readonly stage: Choosing; readonly amount: string }) => (
  <p class="headline">
    <span class="headline-amount">
      <bdi>{amount}</bdi>
    </span>
    <span class="hint">
      {receivesCrypto(stage.world.operation) ? networkName(stage.receive) : stage.delivery?.name}
    </span>
  </p>
);

/** How long this price holds; it is renewed before it ends. */
function Held({ stage }: { readonly stage: Choosing }) {
  const seconds = useSecondsUntil(stage.quote.goodUntil);
  const renewing = stage.quote.status === "asking" || seconds === 0;
  return (
    <p class="held hint">
      <ClockIcon />
      {renewing ? steps.review.refreshing : steps.review.held(seconds)}
    </p>
  );
}

interface PriceChangedProps {
  readonly stage: Choosing;
  readonly before: QuoteData;
  readonly button: { current: HTMLButtonElement | null };
  readonly stressed: boolean;
}

function PriceChanged({ stage, before, button, stressed }: PriceChangedProps) {
  const { dispatch } = useActions();
  const { world, quote } = stage;
  if (!quote.quote) return null;
  const old = amountsOf(before, world.operation, world.locale);
  const now = amountsOf(quote.quote, world.operation, world.locale);
  const text =
    stage.amount.side === "spend"
      ? steps.review.worse(old.receive, now.receive)
      : steps.review.worseSpend(old.spend, now.spend);
  return (
    <Notice tone={stressed ? "wrong" : "warning"}>
      <h2>{steps.review.worseTitle}</h2>
      <p role="alert">{text}</p>
      <button
        ref={button}
        type="button"
        class="second-button"
        onClick={() => dispatch({ type: "priceAccepted" })}
      >
        {steps.review.accept}
      </button>
    </Notice>
  );
}

function buttonFor({ method }: Choosing, amount: string): string {
  const { button } = steps.review;
  const kind = kindOfMethod(method);
  if (kind === "card") return button.card(amount);
  return kind === "crypto" ? button.crypto(amount) : button.bank_transfer(amount);
}
