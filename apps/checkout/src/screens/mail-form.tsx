import type { MailRequest } from "@exchange/contract";
import { languageOf } from "@exchange/ui/languages";
import { useEffect, useState } from "preact/hooks";
import { t } from "../copy/later.ts";
import type { Ordered } from "../machine/state.ts";
import { useActions, useDispatch } from "../ui/context.ts";
import { TextField } from "../ui/field.tsx";
import { useFormErrors } from "../ui/form.tsx";

const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

interface MailFormProps {
  readonly stage: Ordered;
  /** The mail that the form offers. With the link it offers the receipt too. */
  readonly kind: MailRequest["kinds"][number];
}

/** Offers to mail the order's page or its receipt, where the service sends mail. */
export function MailForm({ stage, kind }: MailFormProps) {
  if (!stage.session.offersMail || stage.connection === "timed_out") return null;
  return (
    <details class="what-if">
      <summary>{t(`mail.${kind}.show`)}</summary>
      <Form stage={stage} kind={kind} />
    </details>
  );
}

function Form({ stage, kind }: MailFormProps) {
  const dispatch = useDispatch("ordered");
  const [email, setEmail] = useState(stage.session.customer.email ?? "");
  const [wantsReceipt, setWantsReceipt] = useState(kind === "receipt");
  const { status, request } = stage.mail;
  const isOwn = request?.kinds.includes(kind) === true;
  const refused = isOwn && request.email === email.trim() && failureOf(status);
  const form = useFormErrors([
    {
      id: "mail-address",
      typed: email !== "",
      // A refused address can be sent again: the connection may only have been down.
      error: ADDRESS.test(email.trim()) ? undefined : t("mail.error.address"),
    },
  ]);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (!form.submit()) return;
    const kinds = kind === "link" && wantsReceipt ? (["link", "receipt"] as const) : [kind];
    const language = languageOf(stage.locale) ?? "en";
    dispatch({
      type: "mailPressed",
      request: { email: email.trim(), kinds: [...kinds], language },
    });
  };
  return (
    <form class="fields" noValidate onSubmit={submit}>
      <TextField
        id="mail-address"
        label={t("mail.label")}
        error={form.errorOf("mail-address") ?? (refused || undefined)}
        value={email}
        onValue={setEmail}
        onBlur={() => form.blur("mail-address")}
        input={{ type: "email", autoComplete: "email", inputMode: "email", dir: "ltr" }}
      />
      {kind === "link" && (
        <label class="tick">
          <input
            type="checkbox"
            checked={wantsReceipt}
            onChange={(event) => setWantsReceipt(event.currentTarget.checked)}
          />
          <span>{t("mail.receipt")}</span>
        </label>
      )}
      <button type="submit" class="second-button" aria-disabled={status === "sending" || undefined}>
        {t("mail.send")}
      </button>
      {isOwn && status === "accepted" && <Accepted email={request.email} />}
    </form>
  );
}

function Accepted({ email }: { readonly email: string }) {
  const { announce } = useActions();
  const text = t("mail.sent", { email });
  useEffect(() => announce(text), [text]);
  return <p class="hint">{text}</p>;
}

const failureOf = (status: Ordered["mail"]["status"]): string | false =>
  (status === "refused" || status === "unreachable") && t(`mail.error.${status}`);
