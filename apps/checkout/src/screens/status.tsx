import { formatAmount } from "../amounts/format.ts";
import { t } from "../copy/later.ts";
import { canRetryPayment, hasEnded, isVoid, mayChange } from "../machine/orders.ts";
import type { Ordered } from "../machine/state.ts";
import { onThisDevice, useIsOver } from "../ui/clock.ts";
import { useActions, useDispatch } from "../ui/context.ts";
import { CheckIcon } from "../ui/icons.tsx";
import { OrderHelp } from "../ui/operator.tsx";
import { Emblem, MainButton, Notice } from "../ui/parts.tsx";
import { Screen, useAnnouncedWords } from "../ui/screen.tsx";
import { kindOn } from "../ui/words.ts";
import { AccountLines, PayBy } from "./bank-instructions.tsx";
import { CancelOrder } from "./cancel-order.tsx";
import { ConnectionNotice } from "./connection-notice.tsx";
import { lacksRest, missingOf } from "./coverage.ts";
import { DepositLines, TimeLeft } from "./crypto-instructions.tsx";
import { Deposits } from "./deposits.tsx";
import { MailForm } from "./mail-form.tsx";
import { NewPrice } from "./new-price.tsx";
import { OrderAmounts, OrderReferences } from "./order-details.tsx";
import { OpenOrderPage, OrderLink } from "./order-link.tsx";
import { OtherWays } from "./other-ways.tsx";
import { Line, PriceLines } from "./price-lines.tsx";
import { RefundForm } from "./refund-form.tsx";
import { SimulatePayment } from "./simulate-payment.tsx";
import { lateWords, overWords, statusWords } from "./status-words.ts";

/** The live status of the order until it has ended. */
export function StatusScreen({ stage }: { readonly stage: Ordered }) {
  const { hosted } = useActions();
  const { order, session } = stage;
  const shop = session.merchant.name;
  const isLate = stage.isAnswerLate;
  const isOver = useIsOver(onThisDevice(order.payment.expiresAt));
  const isShort = lacksRest(order);
  const orderWords = isShort && isOver ? overWords : statusWords;
  const words = isLate ? lateWords(stage) : orderWords(order, stage.locale);
  const isDone = order.status === "completed";
  // A window that has timed out shows no further step, so nothing in it moves.
  const isStill = stage.connection === "timed_out";
  const isRetry = canRetryPayment(order) && !isLate && !isStill;
  const saysUsed = stage.reopened && hosted && !isRetry && !isLate;
  useAnnouncedWords(words.title, words.text);
  return (
    <Screen title={words.title} shop={shop}>
      <div class={isDone ? "outcome success" : "outcome"}>
        <Emblem tone={isStill && words.tone === "going" ? "neutral" : words.tone} />
        <p class="lead">{words.text}</p>
      </div>
      {isRetry && <RetryActions stage={stage} />}
      {words.stepsDone !== undefined && !isDone && <Steps stage={stage} done={words.stepsDone} />}
      <OrderHelp stage={stage} />
      <ConnectionNotice stage={stage} />
      {isShort && !isOver && <Rest stage={stage} />}
      <NewPrice stage={stage} />
      {!isDone && <Deposits stage={stage} />}
      <RefundForm stage={stage} />
      {isDone ? <Receipt stage={stage} /> : <OrderAmounts stage={stage} />}
      <OrderReferences stage={stage} />
      {isShort && <SimulatePayment stage={stage} />}
      {saysUsed && (
        <Notice>
          <p>{t("used.text")}</p>
          <p>{t("used.again")}</p>
          {!mayChange(order) && <OpenOrderPage stage={stage} />}
        </Notice>
      )}
      {isDone && order.customerUrl && <MailForm stage={stage} kind="receipt" />}
      {mayChange(order) && <OrderLink stage={stage} />}
      {isVoid(order) && !saysUsed && <p class="hint">{t("used.again")}</p>}
      {!isRetry && <NextAction stage={stage} />}
      <CancelOrder stage={stage} />
    </Screen>
  );
}

/** The amounts, the destination and every cost of a completed order, folded. */
const Receipt = ({ stage }: { readonly stage: Ordered }) => (
  <details class="what-if">
    <summary>{t("status.receipt")}</summary>
    <OrderAmounts stage={stage} />
    <PriceLines
      quote={stage.order.quote}
      operation={stage.order.operationType}
      locale={stage.locale}
    />
  </details>
);

const STEPS = [0, 1, 2, 3] as const;

function Steps({ stage, done }: { readonly stage: Ordered; readonly done: number }) {
  const { operationType } = stage.order;
  const isStill = stage.connection === "timed_out";
  return (
    <ol class={isStill ? "steps steps-still" : "steps"} aria-label={t("status.progress")}>
      {STEPS.map((step) => {
        const name = t(`status.steps.${operationType}.${step}`);
        const state = step < done ? "done" : step === done ? "now" : "next";
        return (
          <li
            key={step}
            class={`step step-${state}`}
            aria-current={state === "now" ? "step" : undefined}
          >
            <span class="step-mark" aria-hidden="true">
              {state === "done" && <CheckIcon />}
            </span>
            <span aria-hidden="true">{name}</span>
            <span class="visually-hidden">{t(`status.step.${state}`, { name })}</span>
          </li>
        );
      })}
    </ol>
  );
}

/** Says how much of a payment is missing, where to send it and until when. */
function Rest({ stage }: { readonly stage: Ordered }) {
  const { order } = stage;
  const { instructions } = order.payment;
  if (!instructions) return null;
  const rest = { ...instructions, amount: missingOf(order) };
  const kind = kindOn(order.operationType, "spend");
  return (
    <>
      <dl class="lines">
        <Line label={t("status.missing")} value={formatAmount(rest, kind, stage.locale)} strong />
      </dl>
      {kind === "crypto" ? (
        <>
          <TimeLeft stage={stage} instructions={rest} />
          <DepositLines stage={stage} instructions={rest} />
        </>
      ) : (
        <>
          <AccountLines stage={stage} instructions={rest} />
          <Notice>
            <PayBy stage={stage} instructions={rest} />
          </Notice>
        </>
      )}
    </>
  );
}

/** Offers another card after a decline, or another way to pay. */
function RetryActions({ stage }: { readonly stage: Ordered }) {
  const dispatch = useDispatch("ordered");
  return (
    <div class="leave-actions">
      <MainButton
        busy={stage.methods?.status === "sent"}
        onClick={() => dispatch({ type: "orderedScreenOpened", screen: "card" })}
      >
        {t("status.tryCard")}
      </MainButton>
      <OtherWays stage={stage} />
    </div>
  );
}

/** The way back when nothing more happens here. */
function NextAction({ stage }: { readonly stage: Ordered }) {
  const { exit, hosted } = useActions();
  if (!hosted) return null;
  const shop = stage.session.merchant.name;
  const completed = stage.order.status === "completed";
  return (
    <div class="actions">
      <button
        type="button"
        class={hasEnded(stage.order) ? "main-button" : "second-button wide"}
        onClick={() => exit.ask(completed ? "completed" : "user")}
      >
        {completed && !stage.reopened ? t("status.done") : t("backTo", { shop })}
      </button>
    </div>
  );
}
