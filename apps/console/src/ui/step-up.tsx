import type { Me, PasskeyQuestion } from "@exchange/contract/admin";
import { useLayoutEffect } from "preact/hooks";
import { call } from "../api.ts";
import { touchPasskey } from "../passkey.ts";
import { say } from "../say.ts";
import { AuthenticatorCode, CurrentPassword } from "./credentials.tsx";
import { Dialog } from "./dialogs.tsx";
import { ErrorNotice } from "./error-notice.tsx";
import { useAction, useData } from "./use-data.ts";

/** Asks the person to prove that they are still there. Every call that moves money waits for it. */
export function StepUp(props: { readonly me: Me; readonly onEnd: (isProved: boolean) => void }) {
  const { isBusy, error, run } = useAction();
  // A person of single sign-on may have added the first passkey since the page was opened.
  const hasNone = !props.me.hasPasskey && !props.me.hasPassword;
  const loaded = useData("me", async () => (hasNone ? call<Me>("/me") : props.me));
  const { hasPasskey, hasPassword } = loaded.data ?? props.me;
  // The session may end while it asks. The next person of this page must not answer for the person before.
  useLayoutEffect(() => () => props.onEnd(false), []);
  const byPasskey = () =>
    run(async () => {
      const question = await call<PasskeyQuestion>("/me/step_up/passkey_options", {
        method: "POST",
      });
      const body = await touchPasskey(question);
      await call<Me>("/me/step_up/passkey", { method: "POST", body });
      props.onEnd(true);
    });
  const byPassword = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const body = { password: form.get("password"), code: form.get("code") };
    run(async () => {
      await call<Me>("/me/step_up/password", { method: "POST", body });
      props.onEnd(true);
    });
  };
  return (
    <Dialog
      title={say("proof.title")}
      close={say("common.cancel")}
      onClose={() => props.onEnd(false)}
    >
      <p class="muted">{say("proof.text")}</p>
      <ErrorNotice error={error} />
      {hasPasskey && (
        <button
          type="button"
          class="button primary wide"
          aria-disabled={isBusy}
          onClick={byPasskey}
        >
          {say("proof.passkey")}
        </button>
      )}
      {hasPassword && <WithPassword isBusy={isBusy} onSubmit={byPassword} />}
      {!hasPasskey && !hasPassword && <p class="notice">{say("proof.none")}</p>}
    </Dialog>
  );
}

function WithPassword(props: {
  readonly isBusy: boolean;
  readonly onSubmit: (event: SubmitEvent) => void;
}) {
  return (
    <form onSubmit={props.onSubmit}>
      <CurrentPassword />
      <AuthenticatorCode />
      <button type="submit" class="button wide" aria-disabled={props.isBusy}>
        {say("proof.password")}
      </button>
    </form>
  );
}
