import type { InvitedPerson, PersonData } from "@exchange/contract/admin";
import { ROLES, type RoleName, rolesOf } from "@exchange/contract/roles";
import { useState } from "preact/hooks";
import { call, callWhole, type Listed } from "../api.ts";
import type { ScreenProps } from "../route.ts";
import { languageNow, languages, say, sayList, sayTime, sayWord } from "../say.ts";
import { FormDialog, SecretDialog } from "../ui/dialogs.tsx";
import { readForm } from "../ui/form.ts";
import {
  Dialog,
  ErrorNotice,
  Facts,
  Field,
  Loading,
  Screen,
  Select,
  Status,
} from "../ui/parts.tsx";
import { useAction, useData } from "../ui/use-data.ts";
import { ServiceAccounts } from "./service-accounts.tsx";

/** The languages of mails to people. The compiler asks for each. */
const MAIL_LANGUAGES: Readonly<Record<PersonData["language"], true>> = { en: true, de: true };
const mailLanguages = languages().filter(([code]) => Object.hasOwn(MAIL_LANGUAGES, code));

/** The people with accounts and the accounts of programs: what they may do, and how to let one in or out. */
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
              offersMail={me.offersMail}
              onEdit={() => setForm(person)}
              onInvited={invitedNow}
              onChange={loaded.reload}
            />
          ))
        }
      </Loading>
      <ServiceAccounts me={me} isManaged={maysManage} />
      {form && (
        <PersonForm
          person={form === "new" ? undefined : form}
          kind={(form === "new" ? me : form).merchantId === null ? "operator" : "merchant"}
          offersMail={me.offersMail}
          onEnd={() => setForm(undefined)}
          onInvited={invitedNow}
          onChanged={() => {
            setForm(undefined);
            loaded.reload();
          }}
        />
      )}
      {invited && <Link invited={invited} onClose={() => setInvited(undefined)} />}
    </Screen>
  );
}

/** Shows the link to hand over, or says that it is mailed. */
function Link(props: { readonly invited: InvitedPerson; readonly onClose: () => void }) {
  const { link, person, expiresAt } = props.invited;
  const values = { email: person.email, until: sayTime(expiresAt) };
  if (link !== null) {
    return (
      <SecretDialog
        title={say("people.link_title")}
        text={say("people.link_text", values)}
        secret={link}
        onClose={props.onClose}
      />
    );
  }
  return (
    <Dialog title={say("people.mailed_title")} onClose={props.onClose}>
      <p>{say("people.mailed_text", values)}</p>
      <button type="button" class="button primary wide" onClick={props.onClose}>
        {say("common.close")}
      </button>
    </Dialog>
  );
}

interface PersonProps {
  readonly person: PersonData;
  readonly isManaged: boolean;
  readonly offersMail: boolean;
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
          [say("people.roles"), sayList(person.roles.map((role) => sayWord("role", role)))],
          [
            say("people.signs_in"),
            sayList([
              ...(person.passkeys > 0 ? [say("people.passkeys", { count: person.passkeys })] : []),
              ...(person.hasPassword ? [say("people.with_password")] : []),
              ...(person.hasIdentity ? [say("people.with_provider")] : []),
            ]),
          ],
          [say("people.last_seen"), person.lastSeenAt && sayTime(person.lastSeenAt)],
          [say("invitation.until"), person.invitedUntil && sayTime(person.invitedUntil)],
          [
            say("people.link"),
            person.invitedUntil && say(`people.link_${person.invitationMail ?? "handed"}`),
          ],
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
  const inviteAgain = (linkBy: "hand" | "mail") =>
    run(async () => {
      const body = { linkBy };
      props.onInvited(await call<InvitedPerson>(`${path}/invitation`, { method: "POST", body }));
    });
  return (
    <>
      <ErrorNotice error={error} />
      <div class="actions">
        <button type="button" class="button" disabled={isBusy} onClick={props.onEdit}>
          {say("people.change")}
        </button>
        {person.state !== "disabled" && (
          <button
            type="button"
            class="button"
            disabled={isBusy}
            onClick={() => inviteAgain("hand")}
          >
            {say("people.new_link")}
          </button>
        )}
        {person.state !== "disabled" && props.offersMail && (
          <button
            type="button"
            class="button"
            disabled={isBusy}
            onClick={() => inviteAgain("mail")}
          >
            {say("people.mail_new_link")}
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
  readonly offersMail: boolean;
  readonly onEnd: () => void;
  readonly onInvited: (invited: InvitedPerson) => void;
  readonly onChanged: () => void;
}) {
  const { person, kind, offersMail } = props;
  const { isBusy, error, run } = useAction();
  const [language, setLanguage] = useState(person?.language ?? mailLanguageNow());
  const save = (event: SubmitEvent) => {
    const text = readForm(event);
    const name = text("name");
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const roles = form.getAll("role");
    run(async () => {
      if (person) {
        const body = { name, roles, language };
        await call(`/people/${person.personId}`, { method: "PATCH", body });
        return props.onChanged();
      }
      const linkBy = form.has("mail") ? "mail" : "hand";
      const body = { email: text("email"), name, roles, language, linkBy };
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
      {offersMail && (
        <MailChoice isNew={!person} language={language} onChooseLanguage={setLanguage} />
      )}
      <fieldset>
        <legend>{say("people.roles")}</legend>
        {rolesOf(kind).map((role) => (
          <RoleChoice key={role} role={role} isChosen={person?.roles.includes(role) ?? false} />
        ))}
      </fieldset>
    </FormDialog>
  );
}

/** A new person gets mails in the language of the inviter where mails have it. */
const mailLanguageNow = (): string =>
  mailLanguages.find(([code]) => code === languageNow())?.[0] ?? "en";

/** The language of mails to the person, and for a new one whether the link is mailed. */
function MailChoice(props: {
  readonly isNew: boolean;
  readonly language: string;
  readonly onChooseLanguage: (language: string) => void;
}) {
  return (
    <>
      <Select
        label={say("people.language")}
        name="language"
        value={props.language}
        options={mailLanguages}
        onChoose={props.onChooseLanguage}
      />
      {props.isNew && (
        <label class="choice">
          <input type="checkbox" name="mail" defaultChecked />
          <span>
            {say("people.mail_link")}
            <small class="muted">{say("people.mail_link_text")}</small>
          </span>
        </label>
      )}
    </>
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
