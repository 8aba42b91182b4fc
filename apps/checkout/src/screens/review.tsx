import type { QuoteData } from "@exchange/contract";
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { named, t } from "../copy/later.ts";
import { isPriced } from "../machine/reduce-placement.ts";
import type { Choosing } from "../machine/state.ts";
import {
  kindOfMethod,
  paysOnReview,
  progressOf,
  receivesCrypto,
  sendsCrypto,
} from "../machine/steps.ts";
import { useSecondsUntil } from "../ui/clock.ts";
import { useActions, useDispatch } from "../ui/context.ts";
import { ClockIcon } from "../ui/icons.tsx";
import { MainButton, Notice } from "../ui/parts.tsx";
import { Screen } from "../ui/screen.tsx";
import { amountsOf, networkName } from "../ui/words.ts";
import { PayFields, useCardOnReview } from "./pay-fields.tsx";
import { Line, PriceLines } from "./price-lines.tsx";
import { ReviewDetails } from "./review-details.tsx";
import { useBack } from "./use-back.ts";

/** The whole order at a held price, with the pay button. */
export function ReviewScreen({ stage }: { readonly stage: Choosing }) {
  const { announce } = useActions();
  const dispatchPlacement = useDispatch("placement");
  const [unaccepted, setUnaccepted] = useState(false);
  const accept = useRef<HTMLButtonElement>(null);
  const card = useCardOnReview(stage);
  const back = useBack(stage);
  const { world, quote } = stage;
  const shop = world.session.merchant.name;
  if (!quote.quote) return null;
  const amounts = amountsOf(quote.quote, world.operation, world.locale);
  const busy = stage.submission !== "none";
  const pay = (event: Event): void => {
    event.preventDefault();
    if (busy || !card.submit()) return;
    if (!quote.worseThan) return dispatchPlacement({ type: "placePressed" });
    setUnaccepted(true);
    announce(t("review.acceptFirst"));
    accept.current?.focus();
  };
  return (
    <Screen
      title={t("review.title")}
      shop={shop}
      step={progressOf(stage)}
      onBack={busy ? undefined : back}
    >
      <form noValidate onSubmit={pay}>
        <Headline stage={stage} amount={amounts.receive} />
        <SubmitNotice stage={stage} />
        {quote.worseThan && (
          <PriceChanged
            stage={stage}
            before={quote.worseThan}
            button={accept}
            stressed={unaccepted}
          />
        )}
        <PayFields stage={stage} form={card} />
        <Receipt stage={stage}>
          <PriceLines quote={quote.quote} operation={world.operation} locale={world.locale} />
          <ReviewDetails stage={stage} />
        </Receipt>
        <Total stage={stage} amount={amounts.spend} />
        <Held stage={stage} />
        <p class="hint terms">
          {t(`review.terms.${world.operation}`, { amount: amounts.spend, shop })}
        </p>
        <div class="actions">
          <MainButton busy={busy || !isPriced(stage)}>{buttonFor(stage, amounts.spend)}</MainButton>
        </div>
      </form>
    </Screen>
  );
}

/** Says why the order was not placed the last time. */
const SubmitNotice = ({ stage }: { readonly stage: Choosing }) =>
  stage.fault ? (
    <Notice tone={stage.fault === "price_refreshed" ? "note" : "wrong"}>
      <p role="alert">{t(`submit.${stage.fault}`)}</p>
    </Notice>
  ) : null;

/** The lines of the order. Under the fields of a fixed exchange they are folded. */
const Receipt = ({
  stage,
  children,
}: {
  readonly stage: Choosing;
  readonly children: ComponentChildren;
}) =>
  paysOnReview(stage) ? (
    <details class="what-if">
      <summary>{t("review.receipt")}</summary>
      <div class="fields">{children}</div>
    </details>
  ) : (
    <>{children}</>
  );

const Total = ({ stage, amount }: { readonly stage: Choosing; readonly amount: string }) => (
  <dl class="lines total">
    <Line
      label={t(sendsCrypto(stage.world.operation) ? "review.total.send" : "review.total.pay")}
      value={amount}
      strong
    />
  </dl>
);

/** The amount received and its delivery. */
const Headline = ({ stage, amount }: { readonly stage: Choosing; readonly amount: string }) => (
  <p class="headline">
    <span class="headline-amount">
      <bdi>{amount}</bdi>
    </span>
    <span class="hint">
      {receivesCrypto(stage.world.operation)
        ? networkName(stage.receive)
        : named(stage.delivery?.name ?? "")}
    </span>
  </p>
);

/** The time left of this price. It is renewed before it expires. */
function Held({ stage }: { readonly stage: Choosing }) {
  const seconds = useSecondsUntil(stage.quote.validUntil);
  const renewing = stage.quote.status === "loading" || seconds === 0;
  return (
    <p class="held hint">
      <ClockIcon />
      {renewing ? t("review.refreshing") : t("review.held", { count: seconds })}
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
  const dispatch = useDispatch("quote");
  const { world, quote } = stage;
  if (!quote.quote) return null;
  const old = amountsOf(before, world.operation, world.locale);
  const now = amountsOf(quote.quote, world.operation, world.locale);
  const text =
    stage.amount.side === "spend"
      ? t("review.worse.get", { before: old.receive, after: now.receive })
      : t("review.worse.pay", { before: old.spend, after: now.spend });
  return (
    <Notice tone={stressed ? "wrong" : "warning"}>
      <h2>{t("review.worse.title")}</h2>
      <p role="alert">{text}</p>
      <button
        ref={button}
        type="button"
        class="second-button"
        onClick={() => dispatch({ type: "priceAccepted" })}
      >
        {t("review.accept")}
      </button>
    </Notice>
  );
}

function buttonFor({ method, submission }: Choosing, amount: string): string {
  if (submission !== "none")
    return t(submission === "unknown" ? "review.asking" : "review.placing");
  const kind = kindOfMethod(method);
  const way = kind === "card" || kind === "crypto" ? kind : "bank_transfer";
  return t(`review.pay.${way}`, { amount });
}
