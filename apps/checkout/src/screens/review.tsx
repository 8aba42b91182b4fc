import type { QuoteData } from "@exchange/contract";
import { useRef, useState } from "preact/hooks";
import { BRANDS, brandOf, digitsOf } from "../card/brand.ts";
import { en } from "../copy/en.ts";
import { operationCopy } from "../copy/operations.ts";
import { STEPS } from "../machine/reduce-choosing.ts";
import type { Choosing } from "../machine/state.ts";
import { useSecondsUntil } from "../ui/clock.ts";
import { useActions } from "../ui/context.ts";
import { ClockIcon } from "../ui/icons.tsx";
import { MainButton, Notice } from "../ui/parts.tsx";
import { Screen } from "../ui/screen.tsx";
import { amountsOf, networkName, shorten } from "../ui/words.ts";
import { Line, PriceLines } from "./price-lines.tsx";

/** Everything once more, at a held price, with the button that pays. */
export function ReviewScreen({ stage }: { readonly stage: Choosing }) {
  const { dispatch, announce } = useActions();
  const [unaccepted, setUnaccepted] = useState(false);
  const accept = useRef<HTMLButtonElement>(null);
  const { world, quote } = stage;
  const shop = world.session.merchant.name;
  if (!quote.quote) return null;
  const amounts = amountsOf(quote.quote, world.operation, world.locale);
  const busy = stage.placing !== "idle";
  const pay = (): void => {
    if (!quote.worseThan) return dispatch({ type: "placePressed" });
    setUnaccepted(true);
    announce(en.review.acceptFirst);
    accept.current?.focus();
  };
  return (
    <Screen
      title={en.review.title}
      shop={shop}
      step={{ number: STEPS.length, total: STEPS.length }}
      onBack={busy ? undefined : () => dispatch({ type: "wentBack" })}
    >
      <p class="headline">
        <span class="headline-amount">
          <bdi>{amounts.receive}</bdi>
        </span>
        <span class="hint">{networkName(stage.receive)}</span>
      </p>
      {stage.fault && (
        <Notice tone={stage.fault === "price_refreshed" ? "note" : "wrong"}>
          <p role="alert">{en.submit[stage.fault]}</p>
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
      <Destination stage={stage} />
      <dl class="lines total">
        <Line label={en.review.total} value={amounts.spend} strong />
      </dl>
      <Held stage={stage} />
      <p class="hint terms">{en.review.terms(amounts.spend, shop)}</p>
      <div class="actions">
        <MainButton busy={busy} onClick={pay}>
          {busy
            ? stage.placing === "asking"
              ? en.review.asking
              : en.review.placing
            : operationCopy(world.operation).payButton(amounts.spend)}
        </MainButton>
      </div>
    </Screen>
  );
}

/** How long this price holds; it is renewed before it ends. */
function Held({ stage }: { readonly stage: Choosing }) {
  const seconds = useSecondsUntil(stage.quote.goodUntil);
  const renewing = stage.quote.status === "asking" || seconds === 0;
  return (
    <p class="held hint">
      <ClockIcon />
      {renewing ? en.review.refreshing : en.review.held(seconds)}
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
      ? en.review.worse(old.receive, now.receive)
      : en.review.worseSpend(old.spend, now.spend);
  return (
    <Notice tone={stressed ? "wrong" : "warning"}>
      <h2>{en.review.worseTitle}</h2>
      <p role="alert">{text}</p>
      <button
        ref={button}
        type="button"
        class="second-button"
        onClick={() => dispatch({ type: "priceAccepted" })}
      >
        {en.review.accept}
      </button>
    </Notice>
  );
}

/** Where the coins go and what pays for them. */
function Destination({ stage }: { readonly stage: Choosing }) {
  const { wallet, card } = stage;
  const digits = digitsOf(card.number);
  const brand = brandOf(digits);
  const lastFour = digits.slice(-4);
  return (
    <dl class="lines">
      <div class="row">
        <dt>{en.review.to}</dt>
        <dd class="mono" dir="ltr" title={wallet.address}>
          {shorten(wallet.address)}
        </dd>
      </div>
      {wallet.memo.trim() !== "" && stage.receive.memo !== "none" && (
        <Line label={en.review.memo} value={wallet.memo.trim()} />
      )}
      <Line
        label={en.review.payWith}
        value={en.review.cardEnding(brand ? BRANDS[brand].name : stage.method.name, lastFour)}
      />
      <Line label={en.card.frequency} value={en.card.oneTime} />
    </dl>
  );
}
