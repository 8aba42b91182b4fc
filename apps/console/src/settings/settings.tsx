import type { MerchantSettings } from "@exchange/contract/admin";
import { useState } from "preact/hooks";
import { call } from "../api.ts";
import type { ScreenProps } from "../route.ts";
import { countriesByName, countryName, say, sayAmount, typedAmount } from "../say.ts";
import { AmountField } from "../ui/amount-field.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Field, Select } from "../ui/fields.tsx";
import { exactOf, readForm } from "../ui/form.ts";
import { Loading } from "../ui/loading.tsx";
import { Screen } from "../ui/screen.tsx";
import { Facts } from "../ui/table.tsx";
import { useAction, useData } from "../ui/use-data.ts";
import { LookForm, type Save } from "./look.tsx";

/** The name, look and defaults of the person's merchant. */
export function Settings({ may }: ScreenProps) {
  const isManaged = may("settings.manage");
  return (
    <Screen title={say("nav.settings")}>
      {!isManaged && <p class="notice">{say("settings.read_only")}</p>}
      <SettingsForms base="" isManaged={isManaged} />
    </Screen>
  );
}

/** The settings of one merchant, as forms or as facts. */
export function SettingsForms(props: {
  /** The beginning of the merchant's paths; empty for the person's own merchant. */
  readonly base: string;
  readonly isManaged: boolean;
  readonly onSaved?: () => void;
}) {
  const path = `${props.base}/settings`;
  const loaded = useData(path, () => call<MerchantSettings>(path));
  const { isBusy, error, run } = useAction();
  const [isSaved, setSaved] = useState(false);
  const save: Save = (changes) =>
    run(async () => {
      setSaved(false);
      const body = await changes();
      loaded.show(await call<MerchantSettings>(path, { method: "PATCH", body }));
      setSaved(true);
      props.onSaved?.();
    });
  const saving = props.isManaged ? save : undefined;
  return (
    <>
      <ErrorNotice error={error} />
      <p role="status" class="muted">
        {isSaved && say("settings.saved")}
      </p>
      <Loading loaded={loaded}>
        {(settings) => (
          <>
            <LookForm settings={settings} isBusy={isBusy} save={saving} isOwn={props.base === ""} />
            {saving ? (
              <Defaults settings={settings} isBusy={isBusy} save={saving} />
            ) : (
              <ShownDefaults settings={settings} />
            )}
          </>
        )}
      </Loading>
    </>
  );
}

/** The amount that the popup begins with, or its currency alone. */
const begun = (amount: string | null, currency: string): string =>
  amount === null ? currency.toUpperCase() : sayAmount({ amount, currency });

function ShownDefaults({ settings }: { readonly settings: MerchantSettings }) {
  return (
    <section class="card">
      <h2>{say("settings.shop")}</h2>
      <Facts
        facts={[
          [say("order.name"), settings.name],
          [say("order.country"), countryName(settings.countryCode)],
          [say("orders.spends"), begun(settings.baseAmount, settings.baseCurrency)],
          [say("orders.receives"), begun(settings.targetAmount, settings.targetCurrency)],
          [say("settings.lifetime"), settings.tokenLifetimeSeconds ?? 1_800],
        ]}
      />
    </section>
  );
}

function Defaults({
  settings,
  isBusy,
  save,
}: {
  readonly settings: MerchantSettings;
  readonly isBusy: boolean;
  readonly save: Save;
}) {
  const [chosen, setChosen] = useState<Partial<MerchantSettings>>({});
  const { countryCode, baseCurrency, targetCurrency } = { ...settings, ...chosen };
  const choose = (name: keyof MerchantSettings) => (value: string) =>
    setChosen({ ...chosen, [name]: value });
  const submit = (event: SubmitEvent) => {
    const text = readForm(event);
    const [name, seconds] = [text("name"), text("lifetime")];
    save(async () => ({
      ...{ name, countryCode, baseCurrency, targetCurrency },
      baseAmount: (await exactOf(text("baseAmount"))) || null,
      tokenLifetimeSeconds: seconds === "" ? null : Number(seconds),
    }));
  };
  return (
    <form class="card" onSubmit={submit}>
      <h2>{say("settings.shop")}</h2>
      <div class="filters">
        <Field label={say("order.name")} name="name" initial={settings.name} required />
        <Select
          label={say("order.country")}
          name="countryCode"
          value={countryCode}
          options={countriesByName(settings.countries.map(({ value }) => value))}
          onChoose={choose("countryCode")}
        />
      </div>
      <h2>{say("settings.defaults")}</h2>
      <div class="filters">
        <Select
          label={say("orders.spends")}
          name="baseCurrency"
          value={baseCurrency}
          options={optionsOf(settings.spendCurrencies)}
          onChoose={choose("baseCurrency")}
        />
        <Amount amount={settings.baseAmount} />
        <Select
          label={say("orders.receives")}
          name="targetCurrency"
          value={targetCurrency}
          options={optionsOf(settings.currencies)}
          onChoose={choose("targetCurrency")}
        />
      </div>
      <Lifetime seconds={settings.tokenLifetimeSeconds} />
      <button type="submit" class="button primary" aria-disabled={isBusy}>
        {say("common.save")}
      </button>
    </form>
  );
}

const optionsOf = (list: MerchantSettings["countries"]) =>
  list.map(({ value, name }) => [value, name] as const);

const Lifetime = ({ seconds }: { readonly seconds: number | null }) => (
  <Field
    label={say("settings.lifetime")}
    hint={say("settings.lifetime_hint")}
    name="lifetime"
    inputMode="numeric"
    initial={String(seconds ?? "")}
  />
);

const Amount = ({ amount }: { readonly amount: string | null }) => (
  <AmountField
    label={say("order.amount")}
    name="baseAmount"
    initial={amount === null ? "" : typedAmount(amount)}
  />
);
