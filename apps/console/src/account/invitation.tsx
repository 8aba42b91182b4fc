import type { Me, Invitation as Opened, PasskeyQuestion } from "@exchange/contract/admin";
import type { DrawnQr } from "@exchange/contract/qr";
import { useEffect, useState } from "preact/hooks";
import { type CallError, call } from "../api.ts";
import { hasPasskeys, makePasskey } from "../passkey.ts";
import { say, sayList, sayTime, sayWord } from "../say.ts";
import { AuthenticatorCode, NewPassword } from "../ui/credentials.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Loading } from "../ui/loading.tsx";
import { Screen } from "../ui/screen.tsx";
import { Facts } from "../ui/table.tsx";
import { useAction, useData } from "../ui/use-data.ts";
import { ProviderButton } from "./provider.tsx";

interface Props {
  readonly token: string;
  readonly onEnter: (me: Me) => void;
}

/** Accepts an invitation with a passkey, at the identity provider, or with a password and an authenticator. */
export function Invitation({ token, onEnter }: Props) {
  const loaded = useData(token, () =>
    call<Opened>("/invitations/read", { method: "POST", body: { token } }),
  );
  return (
    <main class="gate">
      <Screen title={say("invitation.title")}>
        <Loading loaded={loaded}>
          {(invitation) => (
            <>
              <p>{say("invitation.welcome", { name: invitation.name })}</p>
              <Facts
                facts={[
                  [say("invitation.account"), invitation.email],
                  [say("invitation.of"), invitation.merchantName ?? say("people.operator")],
                  [
                    say("people.roles"),
                    sayList(invitation.roles.map((role) => sayWord("role", role))),
                  ],
                  [say("invitation.until"), sayTime(invitation.expiresAt)],
                ]}
              />
              <WithPasskey token={token} onEnter={onEnter} />
              <ProviderButton begin="/invitations/provider_address" body={{ token }} />
              <WithPassword token={token} onEnter={onEnter} email={invitation.email} />
            </>
          )}
        </Loading>
      </Screen>
    </main>
  );
}

function WithPasskey({ token, onEnter }: Props) {
  const { isBusy, error, run } = useAction();
  const accept = () =>
    run(async () => {
      const question = await call<PasskeyQuestion>("/invitations/passkey_options", {
        method: "POST",
        body: { token },
      });
      const answer = await makePasskey(question);
      const body = { token, ...answer, passkeyName: say("invitation.first_device") };
      onEnter(await call<Me>("/invitations/accept_with_passkey", { method: "POST", body }));
    });
  if (!hasPasskeys()) return <p class="notice">{say("sign_in.no_passkeys")}</p>;
  return (
    <>
      <ErrorNotice error={error} />
      <button type="button" class="button primary wide" aria-disabled={isBusy} onClick={accept}>
        {say("invitation.passkey")}
      </button>
      <p class="muted small">{say("invitation.passkey_text")}</p>
    </>
  );
}

interface Secret {
  readonly secret: string;
  readonly uri: string;
}

function WithPassword({ token, onEnter, email }: Props & { readonly email: string }) {
  const { isBusy, error, run } = useAction();
  const [secret, setSecret] = useState<Secret>();
  const [done, setDone] = useState<{
    readonly me: Me;
    readonly recoveryCodes: readonly string[];
  }>();
  const begin = () =>
    run(async () =>
      setSecret(
        await call<Secret>("/invitations/authenticator", { method: "POST", body: { token } }),
      ),
    );
  const accept = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const body = { token, password: form.get("password"), code: form.get("code") };
    run(async () =>
      setDone(await call("/invitations/accept_with_password", { method: "POST", body })),
    );
  };
  if (done) return <RecoveryCodes codes={done.recoveryCodes} onDone={() => onEnter(done.me)} />;
  if (!secret) {
    return (
      <>
        <ErrorNotice error={error} />
        <button type="button" class="button quiet wide" aria-disabled={isBusy} onClick={begin}>
          {say("invitation.password")}
        </button>
      </>
    );
  }
  return (
    <PasswordForm secret={secret} email={email} isBusy={isBusy} error={error} onSubmit={accept} />
  );
}

function RecoveryCodes(props: { readonly codes: readonly string[]; readonly onDone: () => void }) {
  return (
    <section class="card" aria-live="polite">
      <h2>{say("invitation.codes")}</h2>
      <p>{say("invitation.codes_text")}</p>
      <ul class="codes">
        {props.codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <button type="button" class="button primary wide" onClick={props.onDone}>
        {say("invitation.codes_done")}
      </button>
    </section>
  );
}

function PasswordForm(props: {
  readonly secret: Secret;
  readonly email: string;
  readonly isBusy: boolean;
  readonly error: CallError | undefined;
  readonly onSubmit: (event: SubmitEvent) => void;
}) {
  const { secret, email, isBusy, error } = props;
  return (
    <form class="card" onSubmit={props.onSubmit}>
      <h2>{say("invitation.password")}</h2>
      <p>{say("invitation.secret_text")}</p>
      <QrCode text={secret.uri} label={say("invitation.qr")} />
      <p class="secret">{secret.secret.match(/.{1,4}/g)?.join(" ")}</p>
      <a href={secret.uri}>{say("invitation.open_app")}</a>
      <input type="hidden" name="username" autocomplete="username" value={email} />
      <NewPassword />
      <AuthenticatorCode />
      <ErrorNotice error={error} />
      <button type="submit" class="button primary wide" aria-disabled={isBusy}>
        {say("invitation.accept")}
      </button>
    </form>
  );
}

/** A text as a QR code, always dark on light: scanners need that. The text beside it serves where it is not drawn. */
function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const [drawn, setDrawn] = useState<DrawnQr>();
  useEffect(() => {
    let isCurrent = true;
    import("@exchange/contract/qr").then(
      ({ drawQr }) => isCurrent && setDrawn(drawQr(text)),
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [text]);
  if (drawn === undefined) return null;
  return (
    <svg class="qr" role="img" aria-label={label} viewBox={`0 0 ${drawn.size} ${drawn.size}`}>
      <path d={drawn.path} fill="currentColor" shape-rendering="crispEdges" />
    </svg>
  );
}
