import type { CheckoutSession } from "@exchange/contract";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { t } from "../copy/first.ts";
import { useActions } from "./context.ts";
import { Dialog, DialogBusy, DialogChoice } from "./dialog.tsx";
import { CloseIcon } from "./icons.tsx";
import { LanguageChoice } from "./language-choice.tsx";

interface FrameProps {
  readonly session: CheckoutSession | undefined;
  readonly shop: string | undefined;
  readonly children: ComponentChildren;
}

/** What stands around every screen: whose checkout this is, that it is a sandbox, the way out. */
export const Frame = ({ session, shop, children }: FrameProps) => {
  const { exit, hosted } = useActions();
  const sandbox = session !== undefined && session.environment !== "prod";
  return (
    <div class="frame">
      <header class="bar">
        <p class="shop">
          {session && <Logo session={session} />}
          <span class="shop-name">{shop ?? t("checkout")}</span>
        </p>
        {sandbox && <span class="badge">{t("sandbox")}</span>}
        {hosted && (
          <button
            type="button"
            class="close"
            aria-label={t("close")}
            onClick={() => exit.ask("user")}
          >
            <CloseIcon />
          </button>
        )}
      </header>
      {children}
      <footer class="foot">
        {sandbox && <p>{t("sandbox.note")}</p>}
        <LanguageChoice />
      </footer>
    </div>
  );
};

/** The merchant's logo when it may be shown here: our own origin or data, as our policy says. */
function Logo({ session }: { readonly session: CheckoutSession }) {
  const [broken, setBroken] = useState(false);
  const { logoUrl } = session.merchant;
  const allowed = logoUrl !== null && (logoUrl.startsWith("data:image/") || isOwn(logoUrl));
  if (!allowed || broken) return null;
  return <img class="logo" src={logoUrl} alt="" onError={() => setBroken(true)} />;
}

const isOwn = (url: string): boolean =>
  URL.canParse(url, location.href) && new URL(url, location.href).origin === location.origin;

/** "Leave checkout?", and the note that an order is being finished first. */
export function LeaveDialog({ state }: { readonly state: "confirm" | "finishing" }) {
  const { exit } = useActions();
  if (state === "finishing") {
    return (
      <Dialog title={t("leave.finishing")} onStay={undefined}>
        <DialogBusy />
      </Dialog>
    );
  }
  return (
    <Dialog title={t("leave.title")} onStay={exit.stay}>
      <p>{t("leave.text")}</p>
      <DialogChoice
        stay={t("leave.stay")}
        go={t("leave.leave")}
        onStay={exit.stay}
        onGo={exit.confirm}
      />
    </Dialog>
  );
}
