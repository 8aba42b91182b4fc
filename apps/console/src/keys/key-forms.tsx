import type { KeyScope } from "@exchange/contract";
import type { MerchantKey, MerchantKeyWithSecret } from "@exchange/contract/admin";
import { grantableScopes } from "@exchange/contract/roles";
import { useState } from "preact/hooks";
import { call } from "../api.ts";
import { say } from "../say.ts";
import { FormDialog } from "../ui/dialogs.tsx";
import { Field, Select } from "../ui/fields.tsx";
import { readForm } from "../ui/form.ts";
import { useAction } from "../ui/use-data.ts";

interface FormProps {
  /** The beginning of the merchant's paths; empty for the person's own merchant. */
  readonly base: string;
  readonly onEnd: (made?: MerchantKeyWithSecret) => void;
  readonly onClose: () => void;
}

const ALL_SCOPES = grantableScopes(() => true);

interface CreateKeyProps extends FormProps {
  /** The scopes that the person may give. */
  readonly offered: readonly KeyScope[];
}

export function CreateKey({ base, offered, onEnd, onClose }: CreateKeyProps) {
  const { isBusy, error, run } = useAction();
  const create = (event: SubmitEvent) => {
    const networks = readForm(event)("networks")
      .split(/[\s,]+/)
      .filter(Boolean);
    const scopes = new FormData(event.currentTarget as HTMLFormElement).getAll("scope");
    const body = { scopes, ...(networks.length > 0 && { networks }) };
    run(async () =>
      onEnd(await call<MerchantKeyWithSecret>(`${base}/keys`, { method: "POST", body })),
    );
  };
  return (
    <FormDialog
      title={say("keys.create")}
      text={say("keys.create_text")}
      submit={say("keys.create")}
      isBusy={isBusy}
      error={error}
      onSubmit={create}
      onClose={onClose}
    >
      <fieldset>
        <legend>{say("keys.scopes")}</legend>
        {offered.map((scope) => (
          <label key={scope} class="choice">
            <input type="checkbox" name="scope" value={scope} defaultChecked />
            <span>
              <code>{scope}</code>
              <small class="muted">{say(`keys.scope_${scope.replace(".", "_") as "read"}`)}</small>
            </span>
          </label>
        ))}
        {offered.length < ALL_SCOPES.length && <p class="muted">{say("keys.scopes_limited")}</p>}
      </fieldset>
      <Field label={say("keys.networks")} hint={say("keys.networks_hint")} name="networks" />
    </FormDialog>
  );
}

const OVERLAPS = [0, 3_600, 86_400, 604_800] as const;

export function ReplaceKey({
  base,
  apiKey,
  onEnd,
  onClose,
}: FormProps & { readonly apiKey: MerchantKey }) {
  const { isBusy, error, run } = useAction();
  const [overlap, setOverlap] = useState("86400");
  const replace = (event: SubmitEvent) => {
    event.preventDefault();
    const body = { overlapSeconds: Number(overlap) };
    run(async () =>
      onEnd(
        await call<MerchantKeyWithSecret>(`${base}/keys/${apiKey.keyId}/roll`, {
          method: "POST",
          body,
        }),
      ),
    );
  };
  return (
    <FormDialog
      title={say("keys.replace")}
      text={say("keys.replace_text", { key: apiKey.prefix })}
      submit={say("keys.replace")}
      isBusy={isBusy}
      error={error}
      onSubmit={replace}
      onClose={onClose}
    >
      <Select
        label={say("keys.overlap")}
        name="overlap"
        value={overlap}
        options={OVERLAPS.map((seconds) => [String(seconds), say(`keys.overlap_${seconds}`)])}
        onChoose={setOverlap}
      />
    </FormDialog>
  );
}

export function RevokeKey({
  base,
  apiKey,
  onEnd,
  onClose,
}: FormProps & { readonly apiKey: MerchantKey }) {
  const { isBusy, error, run } = useAction();
  const revoke = (event: SubmitEvent) => {
    event.preventDefault();
    run(async () => {
      await call(`${base}/keys/${apiKey.keyId}`, { method: "DELETE" });
      onEnd();
    });
  };
  return (
    <FormDialog
      title={say("keys.revoke")}
      text={say("keys.revoke_text", { key: apiKey.prefix })}
      submit={say("keys.revoke")}
      tone="danger"
      isBusy={isBusy}
      error={error}
      onSubmit={revoke}
      onClose={onClose}
    />
  );
}
