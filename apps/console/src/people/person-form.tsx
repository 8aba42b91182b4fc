import type { InvitedPerson, PersonData } from "@exchange/contract/admin";
import { ROLES, type RoleName, rolesOf } from "@exchange/contract/roles";
import { useState } from "preact/hooks";
import { call } from "../api.ts";
import { languageNow, languages, say, sayTime, sayWord } from "../say.ts";
import { Dialog, FormDialog, SecretDialog } from "../ui/dialogs.tsx";
import { Field, Select } from "../ui/fields.tsx";
import { readForm } from "../ui/form.ts";
import { useAction } from "../ui/use-data.ts";

/** The languages of mails to people. The compiler asks for each. */
const MAIL_LANGUAGES: Readonly<Record<PersonData["language"], true>> = { en: true, de: true };
const mailLanguages = languages().filter(([code]) => Object.hasOwn(MAIL_LANGUAGES, code));

/** Shows the link to hand over, or says that it is mailed. */
export function InvitationLink(props: {
  readonly invited: InvitedPerson;
  readonly onClose: () => void;
}) {
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
    <Dialog title={say("people.mailed_title")} close={say("common.close")} onClose={props.onClose}>
      <p>{say("people.mailed_text", values)}</p>
    </Dialog>
  );
}

/** Invites a person, or changes their name and roles. */
export function PersonForm(props: {
  readonly person: PersonData | undefined;
  /** The person's merchant; null for one of the operator. */
  readonly merchantId: string | null;
  readonly offersMail: boolean;
  readonly onEnd: () => void;
  readonly onInvited: (invited: InvitedPerson) => void;
  readonly onChanged: () => void;
}) {
  const { person, merchantId, offersMail } = props;
  const { isBusy, error, run } = useAction();
  const [language, setLanguage] = useState(person?.language ?? mailLanguageNow());
  const save = (event: SubmitEvent) => {
    const text = readForm(event);
    const name = text("name");
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const roles = form.getAll("role").map(String);
    run(async () => {
      if (person) {
        const body = changesOf(person, { name, roles, language });
        if (Object.keys(body).length > 0)
          await call(`/people/${person.personId}`, { method: "PATCH", body });
        return props.onChanged();
      }
      const linkBy = form.has("mail") ? "mail" : "hand";
      const wanted = { email: text("email"), name, roles, language, linkBy };
      const body = { ...wanted, ...(merchantId !== null && { merchantId }) };
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
        {rolesOf(merchantId === null ? "operator" : "merchant").map((role) => (
          <RoleChoice key={role} role={role} isChosen={person?.roles.includes(role) ?? false} />
        ))}
      </fieldset>
    </FormDialog>
  );
}

/** Returns what the form changed. Somebody else may have changed the rest since it opened. */
function changesOf(
  person: PersonData,
  { name, roles, language }: { name: string; roles: readonly string[]; language: string },
) {
  const hasSameRoles =
    new Set([...roles, ...person.roles]).size === roles.length &&
    roles.length === person.roles.length;
  return {
    ...(name !== person.name && { name }),
    ...(!hasSameRoles && { roles }),
    ...(language !== person.language && { language }),
  };
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
