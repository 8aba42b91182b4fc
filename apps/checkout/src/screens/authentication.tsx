import { orders } from "../copy/orders.ts";
import type { Ordered } from "../machine/state.ts";
import { Screen } from "../ui/screen.tsx";

/** 3-D Secure: the bank decides by itself, or asks the customer in a frame of ours. */
export function AuthenticationScreen({ stage }: { readonly stage: Ordered }) {
  const shop = stage.session.merchant.name;
  const attempt = stage.order.payment.attempt;
  const url = stage.paying === "idle" ? attempt?.challengeUrl : null;
  if (attempt?.status === "challenge" && url && isOurs(url)) {
    return (
      <Screen key="challenge" title={orders.authentication.challengeTitle} shop={shop}>
        <p class="lead">{orders.authentication.challenge}</p>
        <iframe class="challenge" src={url} title={orders.authentication.frame} />
      </Screen>
    );
  }
  return (
    <Screen key="checking" title={orders.authentication.checkingTitle} shop={shop}>
      <div class="waiting" aria-hidden="true">
        <span class="spinner spinner-large" />
      </div>
      <p class="lead centred" role="status">
        {stage.paying === "asking" || stage.connection === "lost"
          ? orders.authentication.asking
          : orders.authentication.checking}
      </p>
    </Screen>
  );
}

/** Only a page of our own origin is ever framed. */
const isOurs = (url: string): boolean =>
  URL.canParse(url, location.href) && new URL(url, location.href).origin === location.origin;
