import type { InstallKit, MerchantSettings } from "@exchange/contract/admin";
import { useRef, useState } from "preact/hooks";
import { call } from "../api.ts";
import { goTo, linkTo, readRoute, type ScreenProps } from "../route.ts";
import { say, typedAmount } from "../say.ts";
import { OWN_COLOUR, Preview } from "../settings/preview.tsx";
import { AmountField } from "../ui/amount-field.tsx";
import { Code } from "../ui/code.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Field, Select } from "../ui/fields.tsx";
import { exactOf } from "../ui/form.ts";
import { Loading } from "../ui/loading.tsx";
import { Screen } from "../ui/screen.tsx";
import { useAction, useData } from "../ui/use-data.ts";
import { TryCall } from "./try-call.tsx";

type Choices = Readonly<Record<string, string>>;

/** Builds the code of a page and its server by choosing. The choices live in the address. */
export function Install({ route }: ScreenProps) {
  const choices = route.query;
  const loaded = useData(JSON.stringify(choices), () =>
    call<InstallKit>("/install", { query: choices }),
  );
  // The code of the choice before stays until the new code is there, and so does the focus.
  const shown = useRef<InstallKit | undefined>(undefined);
  shown.current = loaded.data ?? shown.current;
  const kit = shown.current;
  return (
    <Screen title={say("nav.install")}>
      {kit === undefined ? (
        <Loading loaded={loaded}>{() => null}</Loading>
      ) : (
        <>
          <Exchange kit={kit} choices={choices} />
          <LookPreview kit={kit} choices={choices} />
          <ErrorNotice error={loaded.error} />
          <Server kit={kit} />
          <Page kit={kit} />
          <Try kit={kit} />
          <TryCall kit={kit} />
        </>
      )}
    </Screen>
  );
}

/** Another choice may have changed the address since the screen was drawn. */
const choose =
  (name: string, others: Choices = {}) =>
  (value: string): void =>
    goTo("install", { ...readRoute().query, ...others, [name]: value });

const OPERATIONS = [
  ["B", "buy"],
  ["S", "sell"],
  ["CC", "crypto_to_crypto"],
  ["FF", "fiat_to_fiat"],
] as const;

function Exchange({ kit, choices }: { readonly kit: InstallKit; readonly choices: Choices }) {
  const options = (list: InstallKit["spend"]) =>
    list.map(({ reference, name }) => [reference, name] as const);
  return (
    <section class="card">
      <h2>{say("install.exchange")}</h2>
      <div class="filters">
        <Select
          label={say("orders.operation")}
          name="operationType"
          value={kit.operationType}
          options={OPERATIONS.map(([code, name]) => [code, say(`operation.${name}`)] as const)}
          onChoose={choose("operationType", { baseCurrency: "", targetCurrency: "" })}
        />
        <Select
          label={say("orders.spends")}
          name="baseCurrency"
          value={kit.baseCurrency}
          options={options(kit.spend)}
          onChoose={choose("baseCurrency")}
        />
        <Select
          label={say("orders.receives")}
          name="targetCurrency"
          value={kit.targetCurrency}
          options={options(kit.receive)}
          onChoose={choose("targetCurrency")}
        />
        <Amount initial={typedAmount(choices["baseAmount"] ?? "")} />
        <Select
          label={say("install.terms")}
          name="terms"
          value={choices["terms"] ?? "page"}
          options={[
            ["page", say("install.terms_page")],
            ["server", say("install.terms_server")],
          ]}
          onChoose={choose("terms")}
        />
      </div>
      <h2>{say("install.look")}</h2>
      <div class="filters">
        <Typed label={say("install.accent")} name="accent" choices={choices} />
        <Typed label={say("install.radius")} name="radius" choices={choices} />
        <Select
          label={say("install.mode")}
          name="mode"
          value={choices["mode"] ?? ""}
          options={(["", "light", "dark"] as const).map((mode) => [
            mode,
            say(`install.mode_${mode === "" ? "auto" : mode}`),
          ])}
          onChoose={choose("mode")}
        />
      </div>
    </section>
  );
}

/** The amount of the exchange, in the address as the service writes it. */
function Amount({ initial }: { readonly initial: string }) {
  const { error, run } = useAction();
  const take = ({ target }: Event) =>
    run(async () => choose("baseAmount")(await exactOf((target as HTMLInputElement).value.trim())));
  return (
    <div class="choose" onChange={take}>
      <AmountField label={say("order.amount")} name="baseAmount" initial={initial} />
      <ErrorNotice error={error} />
    </div>
  );
}

/** A choice that is typed. It counts when the person leaves the field. */
function Typed(props: {
  readonly label: string;
  readonly name: string;
  readonly choices: Choices;
}) {
  const { name, choices } = props;
  const take = (event: Event) => {
    const { value } = event.target as HTMLInputElement;
    choose(name)(value.trim());
  };
  return (
    <div class="choose" onChange={take}>
      <Field label={props.label} name={name} initial={choices[name] ?? ""} />
    </div>
  );
}

const COLOUR = /^#[0-9a-f]{6}$/i;
const RADIUS_MAX = 20;

/** The popup with the choices, by its own rules of contrast: a drawing, because only pages of the merchant may open it. */
function LookPreview({ kit, choices }: { readonly kit: InstallKit; readonly choices: Choices }) {
  const { data: settings } = useData("/settings", () => call<MerchantSettings>("/settings"));
  if (settings === undefined) return null;
  const { accent = "", radius = "", mode, baseAmount = "" } = choices;
  const nameOf = (list: InstallKit["spend"], reference: string): string =>
    list.find((one) => one.reference === reference)?.name ?? reference;
  const look = {
    name: settings.name,
    colour: COLOUR.test(accent) ? accent : (settings.primaryColor ?? OWN_COLOUR),
    logo: settings.logoUrl,
    radius: /^\d{1,2}$/.test(radius) ? Math.min(Number(radius), RADIUS_MAX) : undefined,
    exchange: [
      `${say("orders.spends")}: ${baseAmount} ${nameOf(kit.spend, kit.baseCurrency)}`,
      `${say("orders.receives")}: ${nameOf(kit.receive, kit.targetCurrency)}`,
    ],
  };
  return (
    <section class="card">
      <h2>{say("prices.preview")}</h2>
      <div class="columns">
        {mode !== "dark" && <Preview theme="light" {...look} />}
        {mode !== "light" && <Preview theme="dark" {...look} />}
      </div>
    </section>
  );
}

function Server({ kit }: { readonly kit: InstallKit }) {
  const [label, setLabel] = useState("Node");
  const sample = kit.tokenCall.find((one) => one.label === label) ?? kit.tokenCall[0];
  return (
    <section>
      <h2>{say("install.server")}</h2>
      <p>{say("install.server_text", { path: kit.tokenPath })}</p>
      <a href={linkTo("keys")}>{say("install.to_keys")}</a>
      <div class="filters">
        <Select
          label={say("install.language")}
          name="language"
          value={label}
          options={kit.tokenCall.map((one) => [one.label, one.label] as const)}
          onChoose={setLabel}
        />
      </div>
      {sample && <Code label={`${say("install.server")}, ${sample.label}`} text={sample.source} />}
    </section>
  );
}

function Page({ kit }: { readonly kit: InstallKit }) {
  return (
    <section>
      <h2>{say("install.page")}</h2>
      <p>
        {kit.origins.length === 0
          ? say("install.no_origin")
          : say("install.page_text", { origins: kit.origins.join(", ") })}
      </p>
      <a href={linkTo("keys")}>{say("install.to_origins")}</a>
      <Code label={say("install.page")} text={kit.page} />
    </section>
  );
}

/** The console's policy allows no frame, and only pages of the merchant may open the popup, so it is opened elsewhere. */
function Try({ kit }: { readonly kit: InstallKit }) {
  return (
    <section>
      <h2>{say("install.try")}</h2>
      <p>{say("install.try_text")}</p>
      <div class="actions">
        {kit.shopUrl && (
          <a class="button" href={kit.shopUrl} target="_blank" rel="noreferrer">
            {say("install.shop")}
          </a>
        )}
        <a class="button" href={kit.guideUrl} target="_blank" rel="noreferrer">
          {say("install.guide")}
        </a>
        <a class="button" href={linkTo("webhooks")}>
          {say("install.to_webhooks")}
        </a>
      </div>
    </section>
  );
}
