import type { InvitedPerson, PersonData } from "@exchange/contract/admin";
import { ROLES, type RoleName, rolesOf } from "@exchange/contract/roles";
import { useState } from "preact/hooks";
import { call, callWhole, type Listed } from "../api.ts";
import type { ScreenProps } from "../route.ts";
import { say, sayTime, sayWord } from "../say.ts";
import { FormDialog, SecretDialog } from "../ui/dialogs.tsx";
import { readForm } from "../ui/form.ts";
import { ErrorNotice, Facts, Field, Loading, Screen, Status } from "../ui/parts.tsx";
import { useAction, useData } from "../ui/use-data.ts";

/** The people with accounts: who they are, what they may do, and how to let somebody in or out. */
export function People({ me, may }: ScreenProps) {
  const loaded = useData("people", () => callWhole<Listed<PersonData>>("/people"));
  const [invited, setInvited] = useState<InvitedPerson>();
  const [form, setForm] = useState<PersonData | "new">();
  const maysManage = may("people.manage");
  const invitedNow = (answer: InvitedPerson): void => {
    setForm(undefined);
    setInvited(answer);
    loaded.reload();
  };
  return (
    <Screen
      title={say("nav.people")}
      actions={
        maysManage && (
          <button type="button" class="button primary" onClick={() => setForm("new")}>
            {say("people.invite")}
          </button>
        )
      }
    >
      <Loading loaded={loaded}>
        {({ data }) =>
          data.map((person) => (
            <Person
              key={person.personId}
              person={person}
              isManaged={maysManage && person.personId !== me.personId}
              onEdit={() => setForm(person)}
              onInvited={invitedNow}
              onChange={loaded.reload}
            />
          ))
        }
      </Loading>
      {form && (
        <PersonForm
          person={form === "new" ? undefined : form}
          kind={(form === "new" ? me : form).merchantId === null ? "operator" : "merchant"}
          onEnd={() => setForm(undefined)}
          onInvited={invitedNow}
          onChanged={() => {
            setForm(undefined);
            loaded.reload();
          }}
        />
      )}
      {invited && (
        <SecretDialog
          title={say("people.link_title")}
          text={sayLink(invited)}
          secret={invited.link}
          onClose={() => setInvited(undefined)}
        />
      )}
    </Screen>
  );
}

const sayLink = ({ person, expiresAt }: InvitedPerson): string =>
  say("people.link_text", { email: person.email, until: sayTime(expiresAt) });

interface PersonProps {
  readonly person: PersonData;
  readonly isManaged: boolean;
  readonly onEdit: () => void;
  readonly onInvited: (invited: InvitedPerson) => void;
  readonly onChange: () => void;
}

function Person(props: PersonProps) {
  const { person } = props;
  return (
    <section class="card">
      <h2>
        {person.name} <Status word={person.state} />
      </h2>
      <Facts
        facts={[
          [say("sign_in.email"), person.email],
          [say("people.of"), person.merchantName ?? say("people.operator")],
          [say("people.roles"), person.roles.map((role) => sayWord("role", role)).join(", ")],
          [
            say("people.signs_in"),
            [
              person.passkeys > 0 && say("people.passkeys", { count: person.passkeys }),
              person.hasPassword && say("people.with_password"),
              person.hasIdentity && say("people.with_provider"),
            ]
              .filter(Boolean)
              .join(", "),
          ],
          [say("people.last_seen"), person.lastSeenAt && sayTime(person.lastSeenAt)],
          [say("invitation.until"), person.invitedUntil && sayTime(person.invitedUntil)],
        ]}
      />
      {props.isManaged && <PersonActions {...props} />}
    </section>
  );
}

function PersonActions({ person, ...props }: PersonProps) {
  const { isBusy, error, run } = useAction();
  const path = `/people/${person.personId}`;
  const change = (body: object) =>
    run(async () => {
      await call(path, { method: "PATCH", body });
      props.onChange();
    });
  const inviteAgain = () =>
    run(async () =>
      props.onInvited(await call<InvitedPerson>(`${path}/invitation`, { method: "POST" })),
    );
  return (
    <>
      <ErrorNotice error={error} />
      <div class="actions">
        <button type="button" class="button" disabled={isBusy} onClick={props.onEdit}>
          {say("people.change")}
        </button>
        {person.state !== "disabled" && (
          <button type="button" class="button" disabled={isBusy} onClick={inviteAgain}>
            {say("people.new_link")}
          </button>
        )}
        <button
          type="button"
          class="button"
          disabled={isBusy}
          onClick={() => change({ state: person.state === "disabled" ? "active" : "disabled" })}
        >
          {say(person.state === "disabled" ? "people.enable" : "people.disable")}
        </button>
      </div>
    </>
  );
}

function PersonForm(props: {
  readonly person: PersonData | undefined;
  readonly kind: "operator" | "merchant";
  readonly onEnd: () => void;
  readonly onInvited: (invited: InvitedPerson) => void;
  readonly onChanged: () => void;
}) {
  const { person, kind } = props;
  const { isBusy, error, run } = useAction();
  const save = (event: SubmitEvent) => {
    const text = readForm(event);
    const name = text("name");
    const roles = new FormData(event.currentTarget as HTMLFormElement).getAll("role");
    run(async () => {
      if (person) {
        await call(`/people/${person.personId}`, { method: "PATCH", body: { name, roles } });
        return props.onChanged();
      }
      const body = { email: text("email"), name, roles };
      props.onInvited(await call<InvitedPerson>("/people", { method: "POST", body }));
    });
  };
  return (
    <FormDialog
      title={say(person ? "people.change" : "people.invite")}
      submit={say(person ? "common.save" : "people.invite")}
      isBusy={isBusy}
      error={error}
      onSubmit={save}
      onClose={props.onEnd}
    >
      {!person && <Field label={say("sign_in.email")} name="email" type="email" required />}
      <Field
        label={say("order.name")}
        name="name"
        maxLength={100}
        initial={person?.name ?? ""}
        required
      />
      <fieldset>
        <legend>{say("people.roles")}</legend>
        {rolesOf(kind).map((role) => (
          <RoleChoice key={role} role={role} isChosen={person?.roles.includes(role) ?? false} />
        ))}
      </fieldset>
    </FormDialog>
  );
}

function RoleChoice({ role, isChosen }: { readonly role: RoleName; readonly isChosen: boolean }) {
  return (
    <label class="choice">
      <input type="checkbox" name="role" value={role} defaultChecked={isChosen} />
      <span>
        {sayWord("role", role)}
        <small class="muted">{ROLES[role].permissions.join(", ")}</small>
      </span>
    </label>
  );
}
