import type { CheckoutSession } from "@exchange/contract";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { en } from "../copy/en.ts";
import { useActions } from "./context.ts";
import { CloseIcon } from "./icons.tsx";
import { MainButton } from "./parts.tsx";

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
          <span class="shop-name">{shop ?? en.checkout}</span>
        </p>
        {sandbox && <span class="badge">{en.sandbox}</span>}
        {hosted && (
          <button
            type="button"
            class="close"
            aria-label={en.close}
            onClick={() => exit.ask("user")}
          >
            <CloseIcon />
          </button>
        )}
      </header>
      {children}
      {sandbox && <footer class="foot">{en.sandboxNote}</footer>}
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
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opened = dialog.current;
    const focused = document.activeElement;
    opened?.showModal();
    return () => {
      opened?.close();
      if (focused instanceof HTMLElement) focused.focus();
    };
  }, []);
  const asking = state === "confirm";
  return (
    <dialog
      ref={dialog}
      class="leave"
      aria-labelledby="leave-title"
      onCancel={(event) => {
        event.preventDefault();
        if (asking) exit.stay();
      }}
    >
      <h2 id="leave-title">{asking ? en.leave.title : en.leave.finishing}</h2>
      {asking ? (
        <>
          <p>{en.leave.text}</p>
          <div class="leave-actions">
            <MainButton onClick={exit.stay}>{en.leave.stay}</MainButton>
            <button type="button" class="second-button wide" onClick={exit.confirm}>
              {en.leave.leave}
            </button>
          </div>
        </>
      ) : (
        <p class="check">
          <span class="spinner" aria-hidden="true" />
        </p>
      )}
    </dialog>
  );
}
