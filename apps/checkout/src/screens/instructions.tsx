import { useEffect } from "preact/hooks";
import { t } from "../copy/later.ts";
import type { Ordered } from "../machine/state.ts";
import { useActions, useDispatch } from "../ui/context.ts";
import { MainButton, Notice } from "../ui/parts.tsx";
import { Screen } from "../ui/screen.tsx";
import { BankInstructions } from "./bank-instructions.tsx";
import { CancelOrder } from "./cancel-order.tsx";
import { ConnectionNotice } from "./connection-notice.tsx";
import { CryptoInstructions } from "./crypto-instructions.tsx";

/** The payment instructions of an order that is not paid by card, until a payment is seen. */
export function InstructionsScreen({ stage }: { readonly stage: Ordered }) {
  const { instructions } = stage.order.payment;
  if (!instructions) return <Getting stage={stage} />;
  return instructions.type === "crypto" ? (
    <CryptoInstructions stage={stage} instructions={instructions} />
  ) : (
    <BankInstructions stage={stage} instructions={instructions} />
  );
}

/** The order is placed and its payment instructions are being fetched. */
function Getting({ stage }: { readonly stage: Ordered }) {
  const { announce } = useActions();
  const dispatch = useDispatch("ordered");
  const text = t(stage.submission === "unknown" ? "instructions.asking" : "instructions.getting");
  useEffect(() => announce(text), [text]);
  return (
    <Screen title={t("instructions.getting.title")} shop={stage.session.merchant.name}>
      {stage.fault ? (
        <>
          <Notice tone="wrong">
            <p role="alert">{t(`submit.${stage.fault}`)}</p>
          </Notice>
          <ConnectionNotice stage={stage} />
          <div class="actions">
            <MainButton onClick={() => dispatch({ type: "payPressed" })}>
              {t("tryAgain")}
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
        </>
      )}
    </Screen>
  );
}
