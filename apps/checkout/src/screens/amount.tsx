import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { decimalOf, formatAmount, formatPlain, formatQuoted, inList } from "../amounts/format.ts";
import { t } from "../copy/first.ts";
import { typedAmount } from "../machine/amount.ts";
import { locksOf } from "../machine/locks.ts";
import { isTransient } from "../machine/reduce-quote.ts";
import type { AmountSide, Choosing } from "../machine/state.ts";
import { progressOf } from "../machine/steps.ts";
import { useActions, useDispatch } from "../ui/context.ts";
import { ClockIcon } from "../ui/icons.tsx";
import { RiskNotice } from "../ui/operator.tsx";
import { MainButton, Notice } from "../ui/parts.tsx";
import { Screen } from "../ui/screen.tsx";
import { amountsOf, kindOn, rateLine, receiptKind } from "../ui/words.ts";
import { amountError } from "./amount-error.ts";
import { BackToShop } from "./ended.tsx";
import { MoneyField } from "./money-field.tsx";
import { OperationChoice } from "./operation-choice.tsx";

const ANNOUNCE_AFTER_MS = 1_000;

/** The first screen: both amounts, both editable, with a live price. */
export function AmountScreen({ stage }: { readonly stage: Choosing }) {
  const dispatch = useDispatch("choosing");
  const { world, amount, quote } = stage;
  const [left, setLeft] = useState(false);
  // Typing errors show only after the customer left the field or submitted it. Refusals show at once.
  const isTypedWrong = typeof typedAmount(stage) === "string";
  const error = left || !isTypedWrong ? amountError(stage) : undefined;
  useAnnouncedQuote(stage);
  // If Continue was waiting for the quote, a refused amount takes the focus.
  const [pressed, setPressed] = useState(false);
  useLayoutEffect(() => {
    if (!pressed || quote.status !== "failed") return;
    setPressed(false);
    focusAmount(amount.side);
  }, [pressed, quote.status]);
  const submit = (event: Event): void => {
    event.preventDefault();
    setLeft(true);
    if (isTypedWrong || quote.status === "failed") {
      return focusAmount(amount.side);
    }
    setPressed(true);
    dispatch({ type: "advanced" });
  };
  return (
    <Screen
      title={t(`${world.operation}.title`, {
        spend: stage.spend.code,
        receive: stage.receive.code,
      })}
      shop={world.session.merchant.name}
      step={progressOf(stage)}
    >
      <OperationChoice stage={stage} />
      {world.ignored.length > 0 && (
        <Notice>
          <p>
            {t("amount.ignored", {
              count: world.ignored.length,
              names: inList(world.ignored, world.locale),
            })}
          </p>
        </Notice>
      )}
      <form noValidate onSubmit={submit}>
        <div class="money-pair" aria-busy={stage.switching?.status === "opening"}>
          {(["spend", "receive"] as const).map((side) => (
            <Side key={side} {...{ stage, side, error, onLeave: () => setLeft(true) }} />
          ))}
        </div>
        <PriceLine stage={stage} />
        <RiskNotice session={world.session} operation={world.operation} />
        <WayOn stage={stage} />
      </form>
    </Screen>
  );
}

/** The way on, or back where the shop's own amount is refused: the customer cannot change it. */
function WayOn({ stage }: { readonly stage: Choosing }) {
  const { session } = stage.world;
  const { status } = stage.quote;
  if (locksOf(session).amount && status === "failed" && !isTransient(stage)) {
    return <BackToShop shop={session.merchant.name} />;
  }
  return (
    <div class="actions">
      <MainButton busy={stage.continuePending || stage.switching?.status === "opening"}>
        {t("continue")}
      </MainButton>
    </div>
  );
}

interface SideProps {
  readonly stage: Choosing;
  readonly side: AmountSide;
  readonly error: string | undefined;
  readonly onLeave: () => void;
}

function Side({ stage, side, error, onLeave }: SideProps) {
  const dispatch = useDispatch("choosing");
  const { world, amount, quote } = stage;
  const locks = locksOf(world.session);
  const currency = stage[side];
  const own = amount.side === side;
  // A refused amount has no quote: the last quote belongs to another amount.
  const answer = quote.status === "failed" ? undefined : quote.quote?.[side].amount;
  const quoted =
    answer === undefined ? "" : formatQuoted(decimalOf(answer), currency, world.locale);
  const tidy = (): void => {
    const value = typedAmount(stage);
    if (own && typeof value !== "string") {
      const text = formatPlain(value, currency.decimals, world.locale);
      dispatch({ type: "amountTidied", text });
    }
    if (amount.text !== "") onLeave();
  };
  const limits = quote.quote?.limits;
  const bounded = limits && limits.currencyCode === currency.code && side === "spend";
  const kind = kindOn(world.operation, side);
  const bound = (value: number): string =>
    formatAmount({ amount: value, currencyCode: currency.code }, kind, world.locale);
  return (
    <MoneyField
      id={`amount-${side}`}
      label={t(`${world.operation}.${side}`)}
      value={own ? amount.text : quoted}
      stale={!own && quote.status === "loading"}
      readOnly={locks.amount}
      lockedBy={locks.amount && side === "spend" ? world.session.merchant.name : undefined}
      hint={
        bounded ? t("amount.hint", { min: bound(limits.min), max: bound(limits.max) }) : undefined
      }
      error={own ? error : undefined}
      currency={currency}
      currencyLocked={side === "spend" ? locks.spendCurrency : locks.receiveCurrency}
      onValue={(text) => dispatch({ type: "amountTyped", side, text })}
      onBlur={tidy}
      onCurrency={() => dispatch({ type: "pickerOpened", side })}
    />
  );
}

/** The rate and the fees. The line keeps its height, so that nothing below moves. */
function PriceLine({ stage }: { readonly stage: Choosing }) {
  const dispatch = useDispatch("quote");
  const { world, quote } = stage;
  if (quote.status === "failed" && isTransient(stage)) {
    return (
      <div class="price-line">
        <button
          type="button"
          class="link link-target"
          onClick={() => dispatch({ type: "quoteRetryPressed" })}
        >
          {t("tryAgain")}
        </button>
      </div>
    );
  }
  if (!quote.quote) {
    const text = t(quote.status === "loading" ? "amount.loading" : "amount.empty");
    return <p class="price-line hint">{quote.status === "failed" ? "" : text}</p>;
  }
  return (
    <div class="price-line" aria-busy={quote.status === "loading"}>
      <p class="price">
        <ClockIcon />
        <bdi key={quote.quote.rate} class="roll">
          {rateLine(quote.quote, world.operation, world.locale)}
        </bdi>
      </p>
      <p class="hint">{quote.status === "failed" ? "" : feesOf(stage)}</p>
    </div>
  );
}

/** Returns all costs together, in the currency that the customer thinks in. */
function feesOf({ world, quote }: Choosing): string {
  if (!quote.quote) return "";
  const { total: amount, currencyCode } = quote.quote.receipt;
  if (amount === 0) return t("amount.noFees");
  const kind = receiptKind(world.operation);
  return t("amount.feesIncluded", {
    fees: formatAmount({ amount, currencyCode }, kind, world.locale),
  });
}

const focusAmount = (side: AmountSide): void => document.getElementById(`amount-${side}`)?.focus();

/** Announces the new price when the customer pauses, and only if its words changed. */
function useAnnouncedQuote({ world, quote }: Choosing): void {
  const { announce } = useActions();
  const ready = quote.status === "ready" && quote.quote;
  const amounts = ready ? amountsOf(ready, world.operation, world.locale) : undefined;
  const text = amounts ? t(`${world.operation}.announce`, amounts) : "";
  useEffect(() => {
    if (text === "") return;
    const timer = setTimeout(() => announce(text), ANNOUNCE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [text]);
}
