import { t } from "../copy/later.ts";
import type { Ordered } from "../machine/state.ts";
import { useDispatch } from "../ui/context.ts";
import { amountsOf } from "../ui/words.ts";
import { AuthenticationScreen } from "./authentication.tsx";
import { CancelDialog, CancelOrder } from "./cancel-order.tsx";
import { CardScreen } from "./card.tsx";
import { InstructionsScreen } from "./instructions.tsx";
import { StatusScreen } from "./status.tsx";

/** The screens of an order that exists, and the question on cancelling it. */
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
        attempted && (
          <p class="lead">{t("card.attemptsLeft", { count: order.payment.attemptsLeft })}</p>
        )
      }
      below={<CancelOrder stage={stage} />}
      button={t("review.pay.card", { amount: spend })}
      onBack={
        attempted ? () => dispatch({ type: "orderedScreenOpened", screen: "status" }) : undefined
      }
      onType={(fields) => dispatch({ type: "cardTyped", fields })}
      onSubmit={() => dispatch({ type: "payPressed" })}
    />
  );
}
