import type { QuoteData } from "@exchange/contract";
import type { ComponentChildren } from "preact";
import { formatAmount } from "../amounts/format.ts";
import { formatMoment } from "../amounts/moment.ts";
import { t } from "../copy/later.ts";
import { isPriced, isRefused, lacksPrice } from "../machine/reduce-placement.ts";
import { changedSides } from "../machine/reduce-quote.ts";
import type { Choosing } from "../machine/state.ts";
import { kindOfMethod, paysOnReview, progressOf } from "../machine/steps.ts";
import { useSecondsUntil } from "../ui/clock.ts";
import { useDispatch } from "../ui/context.ts";
import { ClockIcon } from "../ui/icons.tsx";
import { OperatorTerms, RiskNotice } from "../ui/operator.tsx";
import { MainButton, Notice } from "../ui/parts.tsx";
import { Screen } from "../ui/screen.tsx";
import { kindOn } from "../ui/words.ts";
import { focusQuoteFault, QuoteFault } from "./choice-form.tsx";
import { PayFields, useCardOnReview } from "./pay-fields.tsx";
import { PriceLines } from "./price-lines.tsx";
import { ReviewDetails, ReviewSums } from "./review-details.tsx";
import { useBack } from "./use-back.ts";
import { useReadable } from "./use-readable.ts";

/** The whole order as a receipt at a held price, with the pay button. */
export function ReviewScreen({ stage }: { readonly stage: Choosing }) {
  const dispatchQuote = useDispatch("quote");
  const dispatchPlacement = useDispatch("placement");
  const card = useCardOnReview(stage);
  const back = useBack(stage);
  const { world, quote } = stage;
  const isReadable = useReadable(quote.quote?.quoteId);
  const busy = stage.submission !== "none";
  const isFailed = isRefused(stage);
  const isBusy = busy || !isPriced(stage) || (!!quote.worseThan && !isReadable);
  const pay = (event: Event): void => {
    event.preventDefault();
    if (isFailed) return focusQuoteFault();
    if (isBusy || !card.submit()) return;
    if (quote.worseThan) dispatchQuote({ type: "priceAccepted" });
    dispatchPlacement({ type: "placePressed" });
  };
  return (
    <Screen
      title={t("review.title")}
      shop={world.session.merchant.name}
      step={progressOf(stage)}
      onBack={busy ? null : back}
    >
      <form noValidate onSubmit={pay}>
        <SubmitNotice stage={stage} />
        <ReviewSums stage={stage} />
        {paysOnReview(stage) ? (
          <PayFields stage={stage} form={card} />
        ) : (
          <QuoteFault stage={stage} />
        )}
        <Price stage={stage} />
        <RiskNotice session={world.session} operation={world.operation} />
        <OperatorTerms session={world.session} operation={world.operation} />
        <div class="actions">
          <MainButton busy={isBusy && !isFailed}>
            {isFailed ? t("continue") : buttonFor(stage)}
          </MainButton>
        </div>
      </form>
    </Screen>
  );
}

const spendOf = ({ quote, world }: Choosing): string =>
  quote.quote
    ? formatAmount(quote.quote.spend, kindOn(world.operation, "spend"), world.locale)
    : "";

/** The price of the chosen method and its terms. */
function Price({ stage }: { readonly stage: Choosing }) {
  const { quote, world } = stage;
  if (!quote.quote || lacksPrice(stage)) return null;
  const { operation, locale, session } = world;
  const terms = { amount: spendOf(stage), shop: session.merchant.name };
  return (
    <>
      <Receipt stage={stage}>
        <ReviewDetails stage={stage} />
        <PriceLines quote={quote.quote} operation={operation} locale={locale} />
      </Receipt>
      {quote.worseThan && <PriceChanged stage={stage} before={quote.worseThan} />}
      {!isRefused(stage) && <Held stage={stage} />}
      <p class="hint terms">{nextFor(stage)}</p>
      <p class="hint terms">{t(`review.terms.${operation}`, terms)}</p>
    </>
  );
}

/** Says why the order was not placed the last time. */
const SubmitNotice = ({ stage }: { readonly stage: Choosing }) =>
  stage.fault ? (
    <Notice tone={stage.fault === "price_refreshed" ? "note" : "wrong"}>
      <p role="alert">{t(`submit.${stage.fault}`)}</p>
    </Notice>
  ) : null;

interface ReceiptProps {
  readonly stage: Choosing;
  readonly children: ComponentChildren;
}

/** The lines of the order. Under the fields of a fixed exchange they are folded. */
const Receipt = ({ stage, children }: ReceiptProps) =>
  paysOnReview(stage) ? (
    <details class="what-if">
      <summary>{t("review.receipt")}</summary>
      <div class="fields">{children}</div>
    </details>
  ) : (
    <>{children}</>
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
}

/** Names each amount that changed, before and now. The pay button accepts the price it names. */
function PriceChanged({ stage, before }: PriceChangedProps) {
  const { world, quote } = stage;
  if (!quote.quote) return null;
  const after = quote.quote;
  const sentences = changedSides(before, after).map((side) => {
    const amountOf = (each: QuoteData): string =>
      formatAmount(each[side], kindOn(world.operation, side), world.locale);
    const amounts = { before: amountOf(before), after: amountOf(after) };
    return side === "receive" ? t("review.worse.get", amounts) : t("review.worse.pay", amounts);
  });
  return (
    <Notice tone="warning">
      <h2>{t("review.worse.title")}</h2>
      <p role="alert">{sentences.join(" ")}</p>
    </Notice>
  );
}

const wayOf = ({ method }: Choosing): "card" | "crypto" | "bank_transfer" => {
  const kind = kindOfMethod(method);
  return kind === "card" || kind === "crypto" ? kind : "bank_transfer";
};

/** Says what happens after the press, and for a transfer until when it may be paid. */
function nextFor(stage: Choosing): string {
  const way = wayOf(stage);
  if (way !== "bank_transfer") return t(`review.next.${way}`);
  const end = Date.now() / 1_000 + stage.method.paymentWindowSeconds;
  return t("review.next.bank_transfer", { when: formatMoment(end, stage.world.locale) });
}

function buttonFor(stage: Choosing): string {
  const { submission, quote } = stage;
  if (submission !== "none")
    return t(submission === "unknown" ? "review.asking" : "review.placing");
  const accepting = quote.worseThan ? "review.accept" : "review.pay";
  return t(`${accepting}.${wayOf(stage)}`, { amount: spendOf(stage) });
}
