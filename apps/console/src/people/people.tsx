import type { InvitedPerson, PersonData } from "@exchange/contract/admin";
import { useState } from "preact/hooks";
import { call, callWhole, type Listed } from "../api.ts";
import type { ScreenProps } from "../route.ts";
import { say, sayList, sayTime, sayWord } from "../say.ts";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Loading } from "../ui/loading.tsx";
import { Fetched, fetchLater } from "../ui/not-loaded.tsx";
import { Screen } from "../ui/screen.tsx";
import { Status } from "../ui/status.tsx";
import { Facts } from "../ui/table.tsx";
import { useAction, useData } from "../ui/use-data.ts";
import { ServiceAccounts } from "./service-accounts.tsx";

// A merchant's page opens them too.
const PersonForm = fetchLater(async () => (await import("./person-form.tsx")).PersonForm);
const InvitationLink = fetchLater(async () => (await import("./person-form.tsx")).InvitationLink);

/** The people with accounts and the accounts of programs: what they may do, and how to let one in or out. */
export function People({ me, may }: ScreenProps) {
  const loaded = useData("people", () => callWhole<Listed<PersonData>>("/people"));
  const [invited, setInvited] = useState<InvitedPerson>();
  const [form, setForm] = useState<PersonData | "new">();
  const maysManage = may("people.manage");
  const invitedNow = (answer: InvitedPerson): void => {
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
      <Fetched as="part">
        {form && (
          <PersonForm
            person={form === "new" ? undefined : form}
            merchantId={(form === "new" ? me : form).merchantId}
            offersMail={me.offersMail}
            onEnd={() => setForm(undefined)}
            onInvited={(answer) => {
              setForm(undefined);
              invitedNow(answer);
            }}
            onChanged={() => {
              setForm(undefined);
              loaded.reload();
            }}
          />
        )}
        {invited && <InvitationLink invited={invited} onClose={() => setInvited(undefined)} />}
      </Fetched>
    </Screen>
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
        <button type="button" class="button" aria-disabled={isBusy} onClick={props.onEdit}>
          {say("people.change")}
        </button>
        {person.state !== "disabled" && (
          <button
            type="button"
            class="button"
            aria-disabled={isBusy}
            onClick={() => inviteAgain("hand")}
          >
            {say("people.new_link")}
          </button>
        )}
        {person.state !== "disabled" && props.offersMail && (
          <button
            type="button"
            class="button"
            aria-disabled={isBusy}
            onClick={() => inviteAgain("mail")}
          >
            {say("people.mail_new_link")}
          </button>
        )}
        <button
          type="button"
          class="button"
          aria-disabled={isBusy}
          onClick={() => change({ state: person.state === "disabled" ? "active" : "disabled" })}
        >
          {say(person.state === "disabled" ? "people.enable" : "people.disable")}
        </button>
      </div>
    </>
  );
}
