import { en } from "../copy/en.ts";
import type { Stage, StopReason } from "../machine/state.ts";
import { useActions } from "../ui/context.ts";
import { MainButton, Notice } from "../ui/parts.tsx";
import { Screen } from "../ui/screen.tsx";

type Of<Kind extends Stage["kind"]> = Extract<Stage, { kind: Kind }>;

/** The skeleton of the first screen; words only when it takes long or cannot be reached. */
export function BootScreen({ stage }: { readonly stage: Of<"booting"> }) {
  const { retryBoot } = useActions();
  if (stage.notice === "unreachable") {
    return (
      <Screen title={en.boot.unreachableTitle} shop={undefined}>
        <p class="lead">{en.boot.unreachable}</p>
        <div class="actions">
          <MainButton onClick={retryBoot}>{en.tryAgain}</MainButton>
        </div>
      </Screen>
    );
  }
  return (
    <main class="main" aria-busy="true" aria-labelledby="screen-title">
      <h1 class="visually-hidden" id="screen-title">
        {en.boot.loading}
      </h1>
      <div class="skeleton" aria-hidden="true">
        <div class="bone bone-title" />
        <div class="bone bone-field" />
        <div class="bone bone-field" />
        <div class="bone bone-line" />
        <div class="bone bone-button" />
      </div>
      <p class="hint centred" role="status">
        {stage.notice === "slow" ? en.boot.slow : ""}
      </p>
    </main>
  );
}

/** A full page that says why checkout cannot go on, with one way out. */
export function StoppedScreen({ stage }: { readonly stage: Of<"stopped"> }) {
  const shop = stage.shop ?? en.theShop;
  return (
    <Screen title={titleOf(stage.reason)} shop={stage.shop}>
      <p class="lead">{textOf(stage.reason, shop)}</p>
      <BackToShop shop={shop} />
    </Screen>
  );
}

function titleOf(reason: StopReason): string {
  if (reason === "token_expired") return en.stopped.expiredTitle;
  return reason === "session_used" ? en.used.title : en.stopped.title;
}

function textOf(reason: StopReason, shop: string): string {
  if (reason === "host_lost") return en.stopped.host_lost;
  return reason === "session_used" ? en.used.text(shop) : en.stopped[reason](shop);
}

/** The session's one order exists; a new one needs a new session. */
export function UsedScreen({ stage }: { readonly stage: Of<"used"> }) {
  const { seeOrder } = useActions();
  const shop = stage.session.merchant.name;
  const { orderId } = stage;
  const readable = orderId !== null && stage.session.scope.includes("order.read");
  return (
    <Screen title={en.used.title} shop={shop}>
      <Notice tone="warning">
        <p>{en.used.text(shop)}</p>
      </Notice>
      {readable && (
        <button type="button" class="link link-target" onClick={() => seeOrder(orderId)}>
          {en.used.see(orderId)}
        </button>
      )}
      <BackToShop shop={shop} />
    </Screen>
  );
}

export function BackToShop({ shop }: { readonly shop: string }) {
  const { exit, hosted } = useActions();
  if (!hosted) return null;
  return (
    <div class="actions">
      <MainButton onClick={() => exit.ask("user")}>{en.backTo(shop)}</MainButton>
    </div>
  );
}
