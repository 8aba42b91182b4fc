import type { ShopSettings } from "@exchange/contract/admin";
import { useState } from "preact/hooks";
import { call } from "../api.ts";
import type { ScreenProps } from "../route.ts";
import { say } from "../say.ts";
import { readForm } from "../ui/form.ts";
import { ErrorNotice, Facts, Field, Loading, Screen, Select } from "../ui/parts.tsx";
import { useAction, useData } from "../ui/use-data.ts";
import { LookForm, type Save } from "./look.tsx";

/** The merchant's name, look and defaults. */
export function Settings({ may }: ScreenProps) {
  const loaded = useData("settings", () => call<ShopSettings>("/settings"));
  const { isBusy, error, run } = useAction();
  const [isSaved, setSaved] = useState(false);
  const save: Save = (body) =>
    run(async () => {
      setSaved(false);
      loaded.show(await call<ShopSettings>("/settings", { method: "PATCH", body }));
      setSaved(true);
    });
  const saving = may("settings.manage") ? save : undefined;
  return (
    <Screen title={say("nav.settings")}>
      {!saving && <p class="notice">{say("settings.read_only")}</p>}
      <ErrorNotice error={error} />
      <p role="status" class="muted">
        {isSaved && say("settings.saved")}
      </p>
      <Loading loaded={loaded}>
        {(settings) => (
          <>
            <LookForm settings={settings} isBusy={isBusy} save={saving} />
            {saving ? (
              <Defaults settings={settings} isBusy={isBusy} save={saving} />
            ) : (
              <ShownDefaults settings={settings} />
            )}
          </>
        )}
      </Loading>
    </Screen>
  );
}

function ShownDefaults({ settings }: { readonly settings: ShopSettings }) {
  return (
    <section class="card">
      <h2>{say("settings.shop")}</h2>
      <Facts
        facts={[
          [say("order.name"), settings.name],
          [say("order.country"), settings.countryCode],
          [say("orders.spends"), `${settings.baseAmount ?? ""} ${settings.baseCurrency}`],
          [say("orders.receives"), `${settings.targetAmount ?? ""} ${settings.targetCurrency}`],
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
  readonly settings: ShopSettings;
  readonly isBusy: boolean;
  readonly save: Save;
}) {
  const currencies = optionsOf(settings.currencies);
  const [chosen, setChosen] = useState<Partial<ShopSettings>>({});
  const { countryCode, baseCurrency, targetCurrency } = { ...settings, ...chosen };
  const choose = (name: keyof ShopSettings) => (value: string) =>
    setChosen({ ...chosen, [name]: value });
  const submit = (event: SubmitEvent) => {
    const text = readForm(event);
    const [name, baseAmount, seconds] = [text("name"), text("baseAmount"), text("lifetime")];
    save({
      ...{ name, countryCode, baseCurrency, targetCurrency, baseAmount: baseAmount || null },
      tokenLifetimeSeconds: seconds === "" ? null : Number(seconds),
    });
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
          options={optionsOf(settings.countries)}
          onChoose={choose("countryCode")}
        />
      </div>
      <h2>{say("settings.defaults")}</h2>
      <div class="filters">
        <Select
          label={say("orders.spends")}
          name="baseCurrency"
          value={baseCurrency}
          options={currencies}
          onChoose={choose("baseCurrency")}
        />
        <Amount amount={settings.baseAmount} />
        <Select
          label={say("orders.receives")}
          name="targetCurrency"
          value={targetCurrency}
          options={currencies}
          onChoose={choose("targetCurrency")}
        />
      </div>
      <Lifetime seconds={settings.tokenLifetimeSeconds} />
      <button type="submit" class="button primary" disabled={isBusy}>
        {say("common.save")}
      </button>
    </form>
  );
}

const optionsOf = (list: ShopSettings["countries"]) =>
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
  <Field label={say("order.amount")} name="baseAmount" inputMode="decimal" initial={amount ?? ""} />
);
