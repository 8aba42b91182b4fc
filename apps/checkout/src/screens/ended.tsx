import type { ComponentChildren } from "preact";
import { t } from "../copy/first.ts";
import type { Stage, StopReason } from "../machine/state.ts";
import { useActions, useDispatch } from "../ui/context.ts";
import { MainButton } from "../ui/parts.tsx";
import { Screen } from "../ui/screen.tsx";

type Of<Kind extends Stage["kind"]> = Extract<Stage, { kind: Kind }>;

/** The skeleton of the first screen. Words appear only when loading is slow or the service cannot be reached. */
export function BootScreen({ stage }: { readonly stage: Of<"booting"> }) {
  const dispatch = useDispatch("checkout");
  if (stage.notice === "unreachable") {
    return (
      <Screen title={t("boot.unreachable.title")} shop={undefined}>
        <p class="lead">{t(navigator.onLine ? "boot.unreachable" : "boot.offline")}</p>
        <div class="actions">
          <MainButton onClick={() => dispatch({ type: "bootRetryPressed" })}>
            {t("tryAgain")}
          </MainButton>
        </div>
      </Screen>
    );
  }
  return (
    <main class="main" aria-busy="true" aria-labelledby="screen-title">
      <h1 class="visually-hidden" id="screen-title">
        {t("boot.loading")}
      </h1>
      <div class="skeleton" aria-hidden="true">
        <div class="bone bone-title" />
        <div class="bone bone-field" />
        <div class="bone bone-field" />
        <div class="bone bone-line" />
        <div class="bone bone-button" />
      </div>
      <p class="hint centred" role="status">
        {stage.notice === "slow" ? t("boot.slow") : ""}
      </p>
    </main>
  );
}

/** A full page that says why checkout cannot continue, with one way out. */
export function StoppedScreen({ stage }: { readonly stage: Of<"stopped"> }) {
  const { hosted } = useActions();
  // Without a shop's page around it, the token is the secret of an order's page.
  const isPage = stage.reason === "token_invalid" && !hosted;
  return (
    <Screen title={isPage ? t("page.title") : titleOf(stage.reason)} shop={stage.shop}>
      <p class="lead">{isPage ? t("page.invalid") : textOf(stage.reason)}</p>
      <BackToShop shop={stage.shop} />
    </Screen>
  );
}

function titleOf(reason: StopReason): string {
  if (reason === "token_expired") return t("stopped.title.expired");
  return t(reason === "session_used" ? "used.title" : "stopped.title");
}

function textOf(reason: StopReason): string {
  switch (reason) {
    case "session_used":
      return t("used.again");
    case "unknown_client":
    case "origin_not_allowed":
      return t("stopped.shop_not_ready");
    default:
      return t(`stopped.${reason}`);
  }
}

/** The session already has its one order. Another order needs a new session. */
export function UsedScreen({ stage }: { readonly stage: Of<"used"> }) {
  const dispatch = useDispatch("checkout");
  const shop = stage.session.merchant.name;
  const { orderId } = stage;
  return (
    <Screen title={t("used.title")} shop={shop}>
      <p class="lead">{t("used.again")}</p>
      <BackToShop shop={shop}>
        {orderId !== null && (
          <button
            type="button"
            class="second-button wide"
            onClick={() => dispatch({ type: "usedOrderPressed", orderId })}
          >
            {t("used.see", { orderId: String(orderId) })}
          </button>
        )}
      </BackToShop>
    </Screen>
  );
}

interface BackToShopProps {
  readonly shop: string | undefined;
  /** Another action, above the way back. */
  readonly children?: ComponentChildren;
}

/** The way back to the shop's page, where there is one. */
export function BackToShop({ shop, children }: BackToShopProps) {
  const { exit, hosted } = useActions();
  if (!hosted) return null;
  return (
    <div class="actions">
      {children}
      <MainButton onClick={() => exit.ask("user")}>
        {shop ? t("backTo", { shop }) : t("backToShop")}
      </MainButton>
    </div>
  );
}
