import { useEffect } from "preact/hooks";
import { t } from "../copy/later.ts";
import { paidBy } from "../machine/orders.ts";
import type { Ordered } from "../machine/state.ts";
import { onThisDevice, useIsOver } from "../ui/clock.ts";
import { useActions, useDispatch } from "../ui/context.ts";
import { OrderHelp } from "../ui/operator.tsx";
import { Emblem, MainButton, Notice } from "../ui/parts.tsx";
import { Screen } from "../ui/screen.tsx";
import { BankInstructions } from "./bank-instructions.tsx";
import { CancelOrder, LeaveButton } from "./cancel-order.tsx";
import { ConnectionNotice } from "./connection-notice.tsx";
import { CryptoInstructions } from "./crypto-instructions.tsx";
import { Deposits } from "./deposits.tsx";
import { OrderAmounts } from "./order-details.tsx";
import { OrderLink } from "./order-link.tsx";
import { OrderNumber } from "./order-number.tsx";
import { RefundForm } from "./refund-form.tsx";
import { SimulatePayment } from "./simulate-payment.tsx";

/** The payment instructions of an order that is not paid by card, until a payment is seen or the time is up. */
export function InstructionsScreen({ stage }: { readonly stage: Ordered }) {
  const { instructions, expiresAt } = stage.order.payment;
  const isOver = useIsOver(onThisDevice(expiresAt));
  if (!instructions) return <Getting stage={stage} />;
  if (isOver) return <TimeIsUp stage={stage} />;
  return instructions.type === "crypto" ? (
    <CryptoInstructions stage={stage} instructions={instructions} />
  ) : (
    <BankInstructions stage={stage} instructions={instructions} />
  );
}

/** Asks for no payment from the moment on at which the service will expire the order. */
function TimeIsUp({ stage }: { readonly stage: Ordered }) {
  const { announce } = useActions();
  const isCoins = paidBy(stage.order) === "crypto";
  const text = t(isCoins ? "over.crypto" : "over.bank_transfer");
  useEffect(() => announce(text), [text]);
  return (
    <Screen title={t("over.title")} shop={stage.session.merchant.name}>
      <div class="outcome">
        <Emblem tone="neutral" />
        <p class="lead">{text}</p>
      </div>
      <OrderHelp stage={stage} />
      <ConnectionNotice stage={stage} />
      <Deposits stage={stage} />
      <RefundForm stage={stage} />
      <SimulatePayment stage={stage} />
      <OrderNumber stage={stage} />
      <OrderLink stage={stage} />
      <p class="hint">{t("used.again")}</p>
      <LeaveButton stage={stage} />
      <CancelOrder stage={stage} />
    </Screen>
  );
}

/** The order is placed and its payment instructions are being fetched. */
function Getting({ stage }: { readonly stage: Ordered }) {
  const { announce } = useActions();
  const dispatch = useDispatch("ordered");
  const text = t(stage.submission === "unknown" ? "instructions.asking" : "instructions.getting");
  const isEarlier = stage.fault === "earlier_order";
  useEffect(() => announce(text), [text]);
  return (
    <Screen title={t("instructions.getting.title")} shop={stage.session.merchant.name}>
      {stage.fault ? (
        <>
          <Notice tone="wrong">
            <p role="alert">{t(`submit.${stage.fault}`)}</p>
          </Notice>
          <ConnectionNotice stage={stage} />
          {isEarlier && <OrderAmounts stage={stage} />}
          <div class="actions">
            <MainButton onClick={() => dispatch({ type: "payPressed" })}>
              {t(isEarlier ? "continue" : "tryAgain")}
            </MainButton>
          </div>
          <CancelOrder stage={stage} />
        </>
      ) : (
        <>
          <div class="waiting" aria-hidden="true">
            <span class="spinner spinner-large" />
          </div>
          <p class="lead centred">{text}</p>
          {stage.submission === "unknown" && <LeaveButton stage={stage} />}
        </>
      )}
    </Screen>
  );
}
