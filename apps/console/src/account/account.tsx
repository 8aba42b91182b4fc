import type { Passkey, PasskeyQuestion, PersonSession } from "@exchange/contract/admin";
import { useState } from "preact/hooks";
import { call } from "../api.ts";
import { hasPasskeys, makePasskey } from "../passkey.ts";
import type { ScreenProps } from "../route.ts";
import { say, sayList, sayTime, sayWord } from "../say.ts";
import { CurrentPassword, NewPassword } from "../ui/credentials.tsx";
import { FormDialog } from "../ui/dialogs.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Loading } from "../ui/loading.tsx";
import { Screen } from "../ui/screen.tsx";
import { Facts } from "../ui/table.tsx";
import { useAction, useData } from "../ui/use-data.ts";
import { SingleSignOn } from "./single-sign-on.tsx";

/** The person's own account: passkeys, single sign-on, and where they are signed in. */
export function Account({ me }: ScreenProps) {
  const [passwordChanges, setPasswordChanges] = useState(0);
  return (
    <Screen title={say("nav.account")}>
      <section class="card">
        <Facts
          facts={[
            [say("order.name"), me.name],
            [say("sign_in.email"), me.email],
            [say("people.of"), me.merchantName ?? say("people.operator")],
            [say("people.roles"), sayList(me.roles.map((role) => sayWord("role", role)))],
          ]}
        />
      </section>
      <Passkeys me={me} />
      {me.hasPassword && (
        <Password email={me.email} onChanged={() => setPasswordChanges((count) => count + 1)} />
      )}
      <SingleSignOn />
      <Sessions key={passwordChanges} />
    </Screen>
  );
}

function Passkeys({ me }: Pick<ScreenProps, "me">) {
  const loaded = useData("passkeys", () => call<readonly Passkey[]>("/me/passkeys"));
  const { isBusy, error, run } = useAction();
  const add = () =>
    run(async () => {
      const question = await call<PasskeyQuestion>("/me/passkeys/options", { method: "POST" });
      const answer = await makePasskey(question);
      const name = `${say("account.passkey")}, ${sayTime(Date.now() / 1_000)}`;
      await call("/me/passkeys", { method: "POST", body: { ...answer, name } });
      loaded.reload();
    });
  const remove = (passkeyId: string) =>
    run(async () => {
      await call(`/me/passkeys/${passkeyId}`, { method: "DELETE" });
      loaded.reload();
    });
  return (
    <section>
      <h2>{say("account.passkeys")}</h2>
      <ErrorNotice error={error} />
      <Loading loaded={loaded}>
        {(passkeys) => (
          <ul class="list">
            {passkeys.length === 0 && !me.hasPassword && (
              <li class="notice">{say("account.no_passkey")}</li>
            )}
            {passkeys.map((passkey) => (
              <li key={passkey.passkeyId} class="row">
                <span>
                  <strong>{passkey.name}</strong>
                  <span class="muted">
                    {passkey.lastUsedAt === null
                      ? say("account.never_used")
                      : say("account.last_used", { time: sayTime(passkey.lastUsedAt) })}
                  </span>
                </span>
                <button
                  type="button"
                  class="button"
                  aria-disabled={isBusy}
                  onClick={() => remove(passkey.passkeyId)}
                >
                  {say("common.remove")}
                </button>
              </li>
            ))}
          </ul>
        )}
      </Loading>
      {hasPasskeys() && (
        <button type="button" class="button" aria-disabled={isBusy} onClick={add}>
          {say("account.add_passkey")}
        </button>
      )}
    </section>
  );
}

function Password(props: { readonly email: string; readonly onChanged: () => void }) {
  const { isBusy, error, run } = useAction();
  const [isOpen, setOpen] = useState(false);
  const [isChanged, setChanged] = useState(false);
  const change = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const body = { currentPassword: form.get("current"), password: form.get("new") };
    run(async () => {
      await call("/me/password", { method: "POST", body });
      setOpen(false);
      setChanged(true);
      props.onChanged();
    });
  };
  return (
    <section>
      <h2>{say("account.password")}</h2>
      <p class="muted">{say("account.password_text")}</p>
      <div aria-live="polite">
        {isChanged && <p class="notice">{say("account.password_changed")}</p>}
      </div>
      <button type="button" class="button" onClick={() => setOpen(true)}>
        {say("account.change_password")}
      </button>
      {isOpen && (
        <FormDialog
          title={say("account.change_password")}
          submit={say("common.save")}
          isBusy={isBusy}
          error={error}
          onSubmit={change}
          onClose={() => setOpen(false)}
        >
          <input type="hidden" name="username" autocomplete="username" value={props.email} />
          <CurrentPassword label={say("account.current_password")} name="current" />
          <NewPassword label={say("account.new_password")} name="new" />
        </FormDialog>
      )}
    </section>
  );
}

function Sessions() {
  const loaded = useData("sessions", () => call<readonly PersonSession[]>("/me/sessions"));
  const { isBusy, error, run } = useAction();
  const end = (sessionId: string) =>
    run(async () => {
      await call(`/me/sessions/${sessionId}`, { method: "DELETE" });
      loaded.reload();
    });
  return (
    <section>
      <h2>{say("account.sessions")}</h2>
      <ErrorNotice error={error} />
      <Loading loaded={loaded}>
        {(sessions) => (
          <ul class="list">
            {sessions.map((session) => (
              <li key={session.sessionId} class="row">
                <span>
                  <strong>{session.isThis ? say("account.this_session") : session.address}</strong>
                  <span class="muted">
                    {session.browser}. {say("account.since", { time: sayTime(session.createdAt) })}
                  </span>
                </span>
                {!session.isThis && (
                  <button
                    type="button"
                    class="button"
                    aria-disabled={isBusy}
                    onClick={() => end(session.sessionId)}
                  >
                    {say("account.end")}
                  </button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loading>
    </section>
  );
}
