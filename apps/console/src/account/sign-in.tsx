import type { Me, PasskeyQuestion } from "@exchange/contract/admin";
import { type CallError, call } from "../api.ts";
import { hasPasskeys, touchPasskey } from "../passkey.ts";
import { say } from "../say.ts";
import { CurrentPassword } from "../ui/credentials.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Field } from "../ui/fields.tsx";
import { Screen } from "../ui/screen.tsx";
import { useAction } from "../ui/use-data.ts";
import { ProviderButton } from "./provider.tsx";

/** Signs a person in: with a passkey, at the identity provider, or with password and code. */
export function SignIn(props: {
  readonly onEnter: (me: Me) => void;
  /** The reason why a sign-in at the identity provider failed, or that the session has ended. */
  readonly failed: CallError | undefined;
}) {
  const { onEnter, failed } = props;
  const { isBusy, error, run } = useAction();
  const byPasskey = () =>
    run(async () => {
      const question = await call<PasskeyQuestion>("/sign_in/passkey_options", { method: "POST" });
      const body = await touchPasskey(question);
      onEnter(await call<Me>("/sign_in/passkey", { method: "POST", body }));
    });
  const byPassword = (event: SubmitEvent) => {
    event.preventDefault();
    const body = Object.fromEntries(new FormData(event.currentTarget as HTMLFormElement));
    run(async () => onEnter(await call<Me>("/sign_in/password", { method: "POST", body })));
  };
  return (
    <main class="gate">
      <Screen title={say("sign_in.title")}>
        <ErrorNotice error={error ?? failed} />
        {hasPasskeys() ? (
          <button
            type="button"
            class="button primary wide"
            aria-disabled={isBusy}
            onClick={byPasskey}
          >
            {say("sign_in.passkey")}
          </button>
        ) : (
          <p class="notice">{say("sign_in.no_passkeys")}</p>
        )}
        <ProviderButton begin="/sign_in/provider_address" />
        <WithPassword isBusy={isBusy} onSubmit={byPassword} />
        <p class="muted small">{say("sign_in.help")}</p>
      </Screen>
    </main>
  );
}

function WithPassword(props: {
  readonly isBusy: boolean;
  readonly onSubmit: (event: SubmitEvent) => void;
}) {
  return (
    <details>
      <summary>{say("sign_in.other")}</summary>
      <form onSubmit={props.onSubmit}>
        <Field
          label={say("sign_in.email")}
          name="email"
          type="email"
          autocomplete="username"
          required
        />
        <CurrentPassword />
        <Field
          label={say("sign_in.code")}
          hint={say("sign_in.code_hint")}
          name="code"
          autocomplete="one-time-code"
          required
        />
        <button type="submit" class="button wide" aria-disabled={props.isBusy}>
          {say("sign_in.submit")}
        </button>
      </form>
    </details>
  );
}
