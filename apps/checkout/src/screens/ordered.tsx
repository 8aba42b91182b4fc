import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../copy/later.ts";
import { readUrl } from "../host/address.ts";
import { isPaymentOpen } from "../machine/orders.ts";
import type { Ordered } from "../machine/state.ts";
import { onThisDevice, useSecondsUntil } from "../ui/clock.ts";
import { useDispatch } from "../ui/context.ts";
import { Screen } from "../ui/screen.tsx";
import { amountsOf } from "../ui/words.ts";
import { CancelDialog, CancelOrder } from "./cancel-order.tsx";
import { CardScreen } from "./card.tsx";
import { ConnectionNotice } from "./connection-notice.tsx";
import { InstructionsScreen } from "./instructions.tsx";
import { OrderAmounts } from "./order-details.tsx";
import { OrderLink } from "./order-link.tsx";
import { StatusScreen } from "./status.tsx";
import { useBack } from "./use-back.ts";

/** The screens of a placed order, and the question about cancelling it. */
export function OrderedScreen({ stage }: { readonly stage: Ordered }) {
  const asking = stage.cancellation === "confirming" || stage.cancellation === "sent";
  return (
    <>
      <Current stage={stage} />
      {asking && <CancelDialog stage={stage} />}
    </>
  );
}

function Current({ stage }: { readonly stage: Ordered }) {
  switch (stage.screen) {
    case "authentication":
      return <AuthenticationScreen stage={stage} />;
    case "instructions":
      return <InstructionsScreen stage={stage} />;
    case "status":
      return <StatusScreen stage={stage} />;
    case "card":
      return <PayByCard stage={stage} />;
  }
}

function PayByCard({ stage }: { readonly stage: Ordered }) {
  const dispatch = useDispatch("ordered");
  const { order, locale } = stage;
  const { spend } = amountsOf(order.quote, order.operationType, locale);
  const attempted = order.payment.attempt !== null;
  return (
    <CardScreen
      session={stage.session}
      locale={locale}
      card={stage.card}
      fault={stage.fault}
      above={
        <>
          {attempted ? (
            <p class="lead">{t("card.attemptsLeft", { count: order.payment.attemptsLeft })}</p>
          ) : (
            <OrderAmounts stage={stage} />
          )}
          <ConnectionNotice stage={stage} />
        </>
      }
      below={
        <>
          <OrderLink stage={stage} />
          <CancelOrder stage={stage} />
        </>
      }
      button={stage.connection !== "timed_out" && t("review.pay.card", { amount: spend })}
      onBack={useBack(stage)}
      onType={(fields) => dispatch({ type: "cardTyped", fields })}
      onSubmit={() => dispatch({ type: "payPressed" })}
    />
  );
}

/** 3-D Secure: the bank decides alone, or challenges the customer in a frame. */
function AuthenticationScreen({ stage }: { readonly stage: Ordered }) {
  const shop = stage.session.merchant.name;
  const attempt = stage.order.payment.attempt;
  const url = stage.submission === "none" ? attempt?.challengeUrl : null;
  if (attempt?.status === "challenge" && url && isOurs(url)) {
    return (
      <Screen key="challenge" title={t("authentication.challenge.title")} shop={shop}>
        <p class="lead">{t("authentication.challenge")}</p>
        <ConnectionNotice stage={stage} />
        <BankPage url={url} connection={stage.connection} />
        <OrderLink stage={stage} />
      </Screen>
    );
  }
  return <Checking key="checking" stage={stage} />;
}

/** The bank's page. A page that failed while the connection was lost is loaded again when it is back, and no other. */
function BankPage({ url, connection }: { readonly url: string } & Pick<Ordered, "connection">) {
  const [loads, setLoads] = useState(0);
  const isLoaded = useRef(false);
  const wasLost = useRef(false);
  useEffect(() => {
    if (connection === "fine" && wasLost.current && !isLoaded.current) setLoads(loads + 1);
    wasLost.current = connection !== "fine";
  }, [connection]);
  return (
    <iframe
      key={loads}
      class="challenge"
      src={url}
      title={t("authentication.frame")}
      onLoad={() => {
        isLoaded.current = connection === "fine" && navigator.onLine;
      }}
    />
  );
}

/** The answer of a bank usually comes within this time. */
const USUAL_MS = 60_000;

/** The bank decides alone, or the answer to the payment was lost. Nobody waits longer than usual with a spinner. */
function Checking({ stage }: { readonly stage: Ordered }) {
  const dispatch = useDispatch("ordered");
  const { order, session, submission, connection } = stage;
  const isOpen = isPaymentOpen(stage);
  // An order that was opened again may have waited for a long time.
  const [since] = useState(() =>
    stage.reopened && submission === "none" ? onThisDevice(order.updatedAt) : Date.now(),
  );
  const isOver = useSecondsUntil(since + USUAL_MS) === 0 || connection === "timed_out";
  useEffect(() => {
    if (isOver && isOpen) dispatch({ type: "paymentAnswerLate" });
  }, [isOver, isOpen]);
  if (stage.isAnswerLate) return <StatusScreen stage={stage} />;
  return (
    <Screen title={t("authentication.checking.title")} shop={session.merchant.name}>
      <div class="waiting" aria-hidden="true">
        <span class="spinner spinner-large" />
      </div>
      <p class="lead centred" role="status">
        {submission === "unknown" || connection === "lost"
          ? t("authentication.asking")
          : t("authentication.checking")}
      </p>
    </Screen>
  );
}

/** Only pages of our own origin are framed. */
const isOurs = (url: string): boolean => readUrl(url, location.href)?.origin === location.origin;
