import type { InvitedPerson, ListedMerchant } from "@exchange/contract/admin";
import { useState } from "preact/hooks";
import { call } from "../api.ts";
import { linkTo, type ScreenProps } from "../route.ts";
import { say, sayTime } from "../say.ts";
import { FormDialog } from "../ui/dialogs.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { ReasonField } from "../ui/fields.tsx";
import { readForm } from "../ui/form.ts";
import { Loading } from "../ui/loading.tsx";
import { Fetched, fetchLater } from "../ui/not-loaded.tsx";
import { Screen } from "../ui/screen.tsx";
import { Status } from "../ui/status.tsx";
import { Facts } from "../ui/table.tsx";
import { useAction, useData } from "../ui/use-data.ts";

// The screens of a merchant's own people, and the form that People opens too.
const KeyList = fetchLater(async () => (await import("../keys/keys.tsx")).KeyList);
const Origins = fetchLater(async () => (await import("../keys/keys.tsx")).Origins);
const SettingsForms = fetchLater(
  async () => (await import("../settings/settings.tsx")).SettingsForms,
);
const PersonForm = fetchLater(async () => (await import("../people/person-form.tsx")).PersonForm);
const InvitationLink = fetchLater(
  async () => (await import("../people/person-form.tsx")).InvitationLink,
);

/** One merchant for the operator: its state, and what its own people see of keys, origins and settings. */
export function MerchantDetail({ route, me, may }: ScreenProps) {
  const [, id = ""] = route.path;
  const base = `/merchants/${encodeURIComponent(id)}`;
  const loaded = useData(base, () => call<ListedMerchant>(base));
  const [form, setForm] = useState<"person" | "disable">();
  const { isBusy, error, run } = useAction();
  const close = () => setForm(undefined);
  const shared = { base, isManaged: may("merchants.manage") };
  const enable = () => run(async () => loaded.show(await enabled(base)));
  return (
    <Screen title={loaded.data?.name ?? id}>
      <ErrorNotice error={error} />
      <Loading loaded={loaded} sought={{ id, place: "merchants", label: say("nav.merchants") }}>
        {(merchant) => (
          <>
            <Head
              merchant={merchant}
              may={may}
              isBusy={isBusy}
              onDisable={() => setForm("disable")}
              onEnable={enable}
              onInvite={() => setForm("person")}
            />
            <Fetched as="part">
              <MerchantKeys {...shared} onChange={loaded.reload} />
              <Origins {...shared} />
              <SettingsForms {...shared} onSaved={loaded.reload} />
            </Fetched>
          </>
        )}
      </Loading>
      {form === "person" && (
        <InvitePerson
          merchantId={id}
          offersMail={me.offersMail}
          onInvited={loaded.reload}
          onEnd={close}
        />
      )}
      {form === "disable" && (
        <Disable
          base={base}
          onClose={close}
          onEnd={(merchant) => {
            close();
            loaded.show(merchant);
          }}
        />
      )}
    </Screen>
  );
}

/** Asks for a person of the merchant, and shows the link that lets them in. */
function InvitePerson(props: {
  readonly merchantId: string;
  readonly offersMail: boolean;
  readonly onInvited: () => void;
  readonly onEnd: () => void;
}) {
  const { merchantId, offersMail, onEnd } = props;
  const [invited, setInvited] = useState<InvitedPerson>();
  const show = (answer: InvitedPerson): void => {
    setInvited(answer);
    props.onInvited();
  };
  const shared = { merchantId, offersMail, onEnd, onChanged: onEnd, onInvited: show };
  return (
    <Fetched as="part">
      {invited ? (
        <InvitationLink invited={invited} onClose={onEnd} />
      ) : (
        <PersonForm person={undefined} {...shared} />
      )}
    </Fetched>
  );
}

const enabled = (base: string): Promise<ListedMerchant> =>
  call(`${base}/enable`, { method: "POST", body: {} });

function MerchantKeys(props: {
  readonly base: string;
  readonly isManaged: boolean;
  readonly onChange: () => void;
}) {
  const [isCreating, setCreating] = useState(false);
  return (
    <>
      <div class="head">
        <h2>{say("nav.keys")}</h2>
        {props.isManaged && (
          <button type="button" class="button primary" onClick={() => setCreating(true)}>
            {say("keys.create")}
          </button>
        )}
      </div>
      <KeyList
        base={props.base}
        isManaged={props.isManaged}
        isCreating={isCreating}
        onCreated={() => {
          setCreating(false);
          props.onChange();
        }}
      />
    </>
  );
}

function Head(props: {
  readonly merchant: ListedMerchant;
  readonly may: ScreenProps["may"];
  readonly isBusy: boolean;
  readonly onDisable: () => void;
  readonly onEnable: () => void;
  readonly onInvite: () => void;
}) {
  const { merchant, may, isBusy } = props;
  const { merchantId, disabledAt } = merchant;
  return (
    <section class="card">
      <Facts
        facts={[
          [
            say("order.state"),
            <Status key="state" word={disabledAt === null ? "active" : "disabled"} />,
          ],
          [say("merchants.client_id"), <code key="id">{merchantId}</code>],
          [say("keys.created"), sayTime(merchant.createdAt)],
          [say("merchants.disabled_at"), disabledAt && sayTime(disabledAt)],
          [say("nav.people"), merchant.people],
        ]}
      />
      <div class="actions">
        <a class="button" href={linkTo("orders", { merchantId })}>
          {say("nav.orders")}
        </a>
        {may("ledger.read") && (
          <a class="button" href={linkTo("statements", { merchantId })}>
            {say("nav.statements")}
          </a>
        )}
        {may("audit.read") && (
          <a class="button" href={linkTo("audit", { subject: merchantId })}>
            {say("nav.audit")}
          </a>
        )}
        {may("people.manage") && (
          <button type="button" class="button" onClick={props.onInvite}>
            {say("merchants.invite")}
          </button>
        )}
        {may("merchants.manage") && disabledAt === null && (
          <button type="button" class="button danger" onClick={props.onDisable}>
            {say("people.disable")}
          </button>
        )}
        {may("merchants.manage") && disabledAt !== null && (
          <button type="button" class="button" aria-disabled={isBusy} onClick={props.onEnable}>
            {say("people.enable")}
          </button>
        )}
      </div>
    </section>
  );
}

/** Asks why, and disables the merchant. */
function Disable(props: {
  readonly base: string;
  readonly onEnd: (merchant: ListedMerchant) => void;
  readonly onClose: () => void;
}) {
  const { isBusy, error, run } = useAction();
  const disable = (event: SubmitEvent) => {
    const body = { reason: readForm(event)("reason") };
    const path = `${props.base}/disable`;
    run(async () => props.onEnd(await call<ListedMerchant>(path, { method: "POST", body })));
  };
  return (
    <FormDialog
      title={say("merchants.disable")}
      text={say("merchants.disable_text")}
      submit={say("people.disable")}
      tone="danger"
      isBusy={isBusy}
      error={error}
      onSubmit={disable}
      onClose={props.onClose}
    >
      <ReasonField hint={say("order.reason_hint")} />
    </FormDialog>
  );
}
