import { t } from "../copy/later.ts";
import type { Ordered } from "../machine/state.ts";
import { Screen } from "../ui/screen.tsx";

/** 3-D Secure: the bank decides by itself, or asks the customer in a frame of ours. */
export function AuthenticationScreen({ stage }: { readonly stage: Ordered }) {
  const shop = stage.session.merchant.name;
  const attempt = stage.order.payment.attempt;
  const url = stage.submission === "none" ? attempt?.challengeUrl : null;
  if (attempt?.status === "challenge" && url && isOurs(url)) {
    return (
      <Screen key="challenge" title={t("authentication.challenge.title")} shop={shop}>
        <p class="lead">{t("authentication.challenge")}</p>
        <iframe class="challenge" src={url} title={t("authentication.frame")} />
      </Screen>
    );
  }
  return (
    <Screen key="checking" title={t("authentication.checking.title")} shop={shop}>
      <div class="waiting" aria-hidden="true">
        <span class="spinner spinner-large" />
      </div>
      <p class="lead centred" role="status">
        {stage.submission === "unknown" || stage.connection === "lost"
          ? t("authentication.asking")
          : t("authentication.checking")}
      </p>
    </Screen>
  );
}

/** Only a page of our own origin is ever framed. */
const isOurs = (url: string): boolean =>
  URL.canParse(url, location.href) && new URL(url, location.href).origin === location.origin;
