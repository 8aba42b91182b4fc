import type { Me, ServiceAccount, ServiceAccountWithKey } from "@exchange/contract/admin";
import { mayLend, rolesOf } from "@exchange/contract/roles";
import { useState } from "preact/hooks";
import { call, callWhole, type Listed } from "../api.ts";
import { say, sayTime, sayWord } from "../say.ts";
import { FormDialog, SecretDialog } from "../ui/dialogs.tsx";
import { Field, Select } from "../ui/fields.tsx";
import { readForm } from "../ui/form.ts";
import { Empty, Loading } from "../ui/loading.tsx";
import { Status } from "../ui/status.tsx";
import { Facts } from "../ui/table.tsx";
import { useAction, useData } from "../ui/use-data.ts";

const DAY_SECONDS = 86_400;
const LIFETIMES_DAYS = [30, 90, 365] as const;

type Form = ServiceAccount | "new";

/** The accounts of programs. A key is shown once, when its account is created. */
export function ServiceAccounts({
  me,
  isManaged,
}: {
  readonly me: Me;
  readonly isManaged: boolean;
}) {
  const loaded = useData("service_accounts", () =>
    callWhole<Listed<ServiceAccount>>("/service_accounts"),
  );
  const [form, setForm] = useState<Form>();
  const [made, setMade] = useState<ServiceAccountWithKey>();
  const close = () => setForm(undefined);
  const end = (answer?: ServiceAccountWithKey): void => {
    close();
    setMade(answer);
    loaded.reload();
  };
  return (
    <section>
      <h2>{say("machines.title")}</h2>
      <p class="muted">{say("machines.text")}</p>
      <Loading loaded={loaded}>
        {({ data }) => <Accounts accounts={data} onRevoke={isManaged ? setForm : undefined} />}
      </Loading>
      {isManaged && (
        <div class="actions">
          <button type="button" class="button" onClick={() => setForm("new")}>
            {say("machines.create")}
          </button>
        </div>
      )}
      {form === "new" && <CreateAccount me={me} onEnd={end} onClose={close} />}
      {form !== undefined && form !== "new" && (
        <RevokeAccount account={form} onEnd={end} onClose={close} />
      )}
      {made && (
        <SecretDialog
          title={say("machines.made", { name: made.serviceAccount.name })}
          text={say("machines.made_text")}
          secret={made.key}
          onClose={() => setMade(undefined)}
        />
      )}
    </section>
  );
}

interface RevokeProps {
  readonly onRevoke: ((account: ServiceAccount) => void) | undefined;
}

function Accounts({
  accounts,
  onRevoke,
}: RevokeProps & { readonly accounts: readonly ServiceAccount[] }) {
  const ended = accounts.filter(({ state }) => state === "revoked" || state === "expired");
  const working = accounts.filter((account) => !ended.includes(account));
  return (
    <>
      {working.length === 0 && <Empty text={say("machines.empty")} />}
      {working.map((account) => (
        <Account key={account.serviceAccountId} account={account} onRevoke={onRevoke} />
      ))}
      {ended.length > 0 && (
        <details>
          <summary>{say("machines.ended", { count: ended.length })}</summary>
          {ended.map((account) => (
            <Account
              key={account.serviceAccountId}
              account={account}
              onRevoke={account.state === "expired" ? onRevoke : undefined}
            />
          ))}
        </details>
      )}
    </>
  );
}

function Account({ account, onRevoke }: RevokeProps & { readonly account: ServiceAccount }) {
  const { name, state, lastUsedAt, createdBy } = account;
  return (
    <section class="card">
      <h3>
        {name} <Status word={state} />
      </h3>
      {state === "suspended" && <p>{say("machines.suspended_text", { person: createdBy })}</p>}
      <Facts
        facts={[
          [say("people.of"), account.merchantName ?? say("people.operator")],
          [say("machines.role"), sayWord("role", account.role)],
          [say("machines.key"), <code key="key">{account.prefix}…</code>],
          [
            say("machines.created"),
            say("machines.created_by", { time: sayTime(account.createdAt), person: createdBy }),
          ],
          [
            say("machines.last_used"),
            lastUsedAt === null
              ? say("machines.never_used")
              : say("machines.used_from", {
                  time: sayTime(lastUsedAt),
                  address: account.lastAddress ?? "",
                }),
          ],
          [say("machines.expires"), sayTime(account.expiresAt)],
          [say("machines.revoked"), account.revokedAt && sayTime(account.revokedAt)],
        ]}
      />
      {onRevoke && (
        <div class="actions">
          <button type="button" class="button" onClick={() => onRevoke(account)}>
            {say("machines.revoke")}
          </button>
        </div>
      )}
    </section>
  );
}

interface FormProps {
  readonly onEnd: (made?: ServiceAccountWithKey) => void;
  readonly onClose: () => void;
}

function CreateAccount({ me, onEnd, onClose }: FormProps & { readonly me: Me }) {
  const { isBusy, error, run } = useAction();
  const kind = me.merchantId === null ? "operator" : "merchant";
  const roles = rolesOf(kind).filter((role) => mayLend(me.roles, role));
  const [role, setRole] = useState<string>(roles[0] ?? "");
  const [days, setDays] = useState("90");
  const create = (event: SubmitEvent) => {
    const name = readForm(event)("name");
    const expiresAt = Math.floor(Date.now() / 1_000) + Number(days) * DAY_SECONDS;
    const body = { name, role, expiresAt };
    run(async () =>
      onEnd(await call<ServiceAccountWithKey>("/service_accounts", { method: "POST", body })),
    );
  };
  return (
    <FormDialog
      title={say("machines.create")}
      text={say("machines.create_text")}
      submit={say("machines.create")}
      isBusy={isBusy}
      error={error}
      onSubmit={create}
      onClose={onClose}
    >
      <Field
        label={say("machines.name")}
        hint={say("machines.name_hint")}
        name="name"
        maxLength={40}
        required
      />
      <Select
        label={say("machines.role")}
        name="role"
        value={role}
        options={roles.map((one) => [one, sayWord("role", one)] as const)}
        onChoose={setRole}
      />
      <Select
        label={say("machines.lifetime")}
        name="lifetime"
        value={days}
        options={LIFETIMES_DAYS.map(
          (count) => [String(count), say("machines.days", { count })] as const,
        )}
        onChoose={setDays}
      />
    </FormDialog>
  );
}

function RevokeAccount({
  account,
  onEnd,
  onClose,
}: FormProps & { readonly account: ServiceAccount }) {
  const { isBusy, error, run } = useAction();
  const revoke = (event: SubmitEvent) => {
    event.preventDefault();
    run(async () => {
      await call(`/service_accounts/${account.serviceAccountId}`, { method: "DELETE" });
      onEnd();
    });
  };
  return (
    <FormDialog
      title={say("machines.revoke")}
      text={say("machines.revoke_text", { name: account.name })}
      submit={say("machines.revoke")}
      tone="danger"
      isBusy={isBusy}
      error={error}
      onSubmit={revoke}
      onClose={onClose}
    />
  );
}
