import type { KeyScope } from "@exchange/contract";
import type { MerchantKey, MerchantKeyWithSecret } from "@exchange/contract/admin";
import { grantableScopes } from "@exchange/contract/roles";
import { useState } from "preact/hooks";
import { callWhole, type Listed } from "../api.ts";
import type { ScreenProps } from "../route.ts";
import { say, sayTime } from "../say.ts";
import { SecretDialog } from "../ui/dialogs.tsx";
import { Empty, Loading } from "../ui/loading.tsx";
import { Screen } from "../ui/screen.tsx";
import { Status } from "../ui/status.tsx";
import { Facts } from "../ui/table.tsx";
import { useData } from "../ui/use-data.ts";
import { CreateKey, ReplaceKey, RevokeKey } from "./key-forms.tsx";
import { Origins } from "./origins.tsx";

export { Origins };

interface Form {
  readonly action: "replace" | "revoke";
  readonly key: MerchantKey;
}

/** The API keys of the person's merchant and the origins of its pages. */
export function Keys({ may }: ScreenProps) {
  const [isCreating, setCreating] = useState(false);
  const isManaged = may("keys.manage");
  return (
    <Screen
      title={say("nav.keys")}
      actions={
        isManaged && (
          <button type="button" class="button primary" onClick={() => setCreating(true)}>
            {say("keys.create")}
          </button>
        )
      }
    >
      <p class="muted">{say("keys.text")}</p>
      <KeyList
        base=""
        isManaged={isManaged}
        may={may}
        isCreating={isCreating}
        onCreated={() => setCreating(false)}
      />
      <Origins base="" isManaged={isManaged} />
    </Screen>
  );
}

/** The API keys of one merchant, with the forms that change them. */
export function KeyList(props: {
  /** The beginning of the merchant's paths; empty for the person's own merchant. */
  readonly base: string;
  readonly isManaged: boolean;
  /** Absent for the operator's people, who give a key any scope. */
  readonly may?: ScreenProps["may"];
  readonly isCreating: boolean;
  readonly onCreated: () => void;
}) {
  const { base, isManaged, may = () => true, isCreating } = props;
  const offered = grantableScopes(may);
  const loaded = useData(`keys ${base}`, () => callWhole<Listed<MerchantKey>>(`${base}/keys`));
  const [form, setForm] = useState<Form>();
  const [made, setMade] = useState<MerchantKeyWithSecret>();
  const close = (): void => {
    setForm(undefined);
    props.onCreated();
  };
  const end = (answer?: MerchantKeyWithSecret): void => {
    close();
    setMade(answer);
    loaded.reload();
  };
  const shared = { base, onEnd: end, onClose: close };
  return (
    <>
      <Loading loaded={loaded}>
        {({ data }) => (
          <KeyLists keys={data} offered={offered} onForm={isManaged ? setForm : undefined} />
        )}
      </Loading>
      {isCreating && <CreateKey {...shared} offered={offered} />}
      {form?.action === "replace" && <ReplaceKey {...shared} apiKey={form.key} />}
      {form?.action === "revoke" && <RevokeKey {...shared} apiKey={form.key} />}
      {made && (
        <SecretDialog
          title={say("keys.made")}
          text={say("keys.made_text")}
          secret={made.apiKey}
          onClose={() => setMade(undefined)}
        />
      )}
    </>
  );
}

const ACTIONS = ["replace", "revoke"] as const;

interface KeyProps {
  /** The scopes that the person may give. */
  readonly offered: readonly KeyScope[];
  readonly onForm: ((form: Form) => void) | undefined;
}

function KeyLists({ keys, ...shared }: KeyProps & { readonly keys: readonly MerchantKey[] }) {
  const working = keys.filter(({ state }) => state === "active");
  const ended = keys.filter(({ state }) => state !== "active");
  return (
    <>
      {working.length === 0 && <Empty text={say("keys.empty")} />}
      {working.map((key) => (
        <Key key={key.keyId} apiKey={key} {...shared} />
      ))}
      {ended.length > 0 && (
        <details>
          <summary>{say("keys.ended", { count: ended.length })}</summary>
          {ended.map((key) => (
            <Key key={key.keyId} apiKey={key} {...shared} onForm={undefined} />
          ))}
        </details>
      )}
    </>
  );
}

function Key({ apiKey, offered, onForm }: KeyProps & { readonly apiKey: MerchantKey }) {
  const { lastUsedAt, lastAddress } = apiKey;
  // A new key has the scopes of the one it replaces.
  const mayReplace = apiKey.scopes.every((scope) => offered.some((one) => one === scope));
  return (
    <section class="card">
      <h2>
        <code>{apiKey.prefix}…</code> <Status word={apiKey.state} />
      </h2>
      <Facts
        facts={[
          [say("keys.scopes"), apiKey.scopes.join(", ")],
          [say("keys.networks"), apiKey.networks?.join(", ") ?? say("keys.everywhere")],
          [say("keys.created"), sayTime(apiKey.createdAt)],
          [
            say("keys.last_used"),
            lastUsedAt === null
              ? say("keys.never_used")
              : say("keys.used_from", { time: sayTime(lastUsedAt), address: lastAddress ?? "" }),
          ],
          [say("keys.expires"), apiKey.expiresAt && sayTime(apiKey.expiresAt)],
          [say("keys.revoked"), apiKey.revokedAt && sayTime(apiKey.revokedAt)],
        ]}
      />
      {onForm && (
        <div class="actions">
          {ACTIONS.filter((action) => action === "revoke" || mayReplace).map((action) => (
            <button
              key={action}
              type="button"
              class="button"
              onClick={() => onForm({ action, key: apiKey })}
            >
              {say(`keys.${action}`)}
            </button>
          ))}
        </div>
      )}
    </section>
  );
}
