import { useEffect } from "preact/hooks";
import { en } from "../copy/en.ts";
import { orders } from "../copy/orders.ts";
import { steps } from "../copy/steps.ts";
import type { Ordered } from "../machine/state.ts";
import { useActions } from "../ui/context.ts";
import { MainButton, Notice } from "../ui/parts.tsx";
import { Screen } from "../ui/screen.tsx";
import { BankInstructions } from "./bank-instructions.tsx";
import { CancelOrder } from "./cancel-order.tsx";
import { ConnectionNotice } from "./connection-notice.tsx";
import { CryptoInstructions } from "./crypto-instructions.tsx";

const words = orders.instructions;

/** Where to send the money of an order that is not paid by card, until some of it is seen. */
export function InstructionsScreen({ stage }: { readonly stage: Ordered }) {
  const { instructions } = stage.order.payment;
  if (!instructions) return <Getting stage={stage} />;
  return instructions.type === "crypto" ? (
    <CryptoInstructions stage={stage} instructions={instructions} />
  ) : (
    <BankInstructions stage={stage} instructions={instructions} />
  );
}

/** The order stands; the account or address is being asked for. */
function Getting({ stage }: { readonly stage: Ordered }) {
  const { dispatch, announce } = useActions();
  const text = stage.paying === "asking" ? words.asking : words.getting;
  useEffect(() => announce(text), [text]);
  return (
    <Screen title={words.gettingTitle} shop={stage.session.merchant.name}>
      {stage.fault ? (
        <>
          <Notice tone="wrong">
            <p role="alert">{steps.submit[stage.fault]}</p>
          </Notice>
          <ConnectionNotice stage={stage} />
          <div class="actions">
            <MainButton onClick={() => dispatch({ type: "payPressed" })}>{en.tryAgain}</MainButton>
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
