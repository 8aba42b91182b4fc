import type { PriceBook, PriceChangeData, PriceRule } from "@exchange/contract/admin";
import { useRef, useState } from "preact/hooks";
import { call } from "../api.ts";
import { MerchantField } from "../merchants/merchant-field.tsx";
import { goTo, linkTo } from "../route.ts";
import { say, sayTime, sayWord, typedAmount } from "../say.ts";
import { AmountField } from "../ui/amount-field.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Field, ReasonField, Select } from "../ui/fields.tsx";
import { exactOf, textsOf } from "../ui/form.ts";
import { Facts } from "../ui/table.tsx";
import { useAction } from "../ui/use-data.ts";
import { Preview } from "./preview.tsx";
import { matchesOf } from "./words.ts";

interface FormProps {
  readonly book: PriceBook;
  /** Undefined for a new rule. */
  readonly rule: PriceRule | undefined;
}

/** Proposes new values for a rule, or a new rule, with a preview of the typed values. */
export function PriceForm({ book, rule }: FormProps) {
  const { isBusy, error, run } = useAction();
  const form = useRef<HTMLFormElement>(null);
  const [chosen, setChosen] = useState<Chosen>(rule ?? { operation: "", paymentMethod: "" });
  const written = async () => (form.current ? writtenRule(form.current, { rule, chosen }) : {});
  const propose = (event: SubmitEvent) => {
    event.preventDefault();
    const reason = textsOf(event.currentTarget as HTMLFormElement)("reason");
    run(async () => {
      const body = { ...(await written()), reason };
      await call<PriceChangeData>("/prices/changes", { method: "POST", body });
      goTo("prices", { which: "proposed" });
    });
  };
  return (
    <>
      <form ref={form} class="card" onSubmit={propose}>
        {rule ? (
          <Facts facts={[[say("prices.matches"), matchesOf(rule)]]} />
        ) : (
          <Selectors book={book} chosen={chosen} onChoose={setChosen} />
        )}
        <Figures rule={rule} />
        <Field
          label={say("prices.effective")}
          hint={`${say("prices.effective_hint")} ${say("prices.now", { time: sayTime(book.businessTime) })}`}
          name="effectiveFrom"
          type="datetime-local"
        />
        <ReasonField />
        <p class="muted">{say("prices.propose_text")}</p>
        <ErrorNotice error={error} />
        <div class="actions">
          <button type="submit" class="button primary" aria-disabled={isBusy}>
            {say("prices.propose")}
          </button>
          <a class="button quiet" href={linkTo("prices")}>
            {say("common.cancel")}
          </a>
        </div>
      </form>
      <div class="card">
        <Preview book={book} rule={rule} query={written} />
      </div>
    </>
  );
}

const OPERATIONS = ["buy", "sell", "crypto_to_crypto", "fiat_to_fiat"] as const;

/** The selectors that are chosen from lists. An empty one matches everything. */
interface Chosen {
  readonly operation: string | null;
  readonly paymentMethod: string | null;
}

/** Says which exchanges a new rule prices. */
function Selectors(props: {
  readonly book: PriceBook;
  readonly chosen: Chosen;
  readonly onChoose: (chosen: Chosen) => void;
}) {
  const { book, chosen, onChoose } = props;
  const choice = (
    name: keyof Chosen,
    label: string,
    options: readonly (readonly [value: string, text: string])[],
  ) => (
    <Select
      label={label}
      name={name}
      value={chosen[name] ?? ""}
      options={[["", say("prices.any")], ...options]}
      onChoose={(value) => onChoose({ ...chosen, [name]: value })}
    />
  );
  return (
    <>
      <Field
        label={say("prices.rule")}
        hint={say("prices.rule_hint")}
        name="reference"
        maxLength={64}
        required
      />
      {choice(
        "operation",
        say("orders.operation"),
        OPERATIONS.map((name) => [name, sayWord("operation", name)] as const),
      )}
      {choice(
        "paymentMethod",
        say("prices.method"),
        book.paymentMethods.map((name) => [name, name] as const),
      )}
      <Field label={say("prices.currency")} name="currency" />
      <MerchantField label={say("prices.merchant")} />
    </>
  );
}

function Figures({ rule }: Pick<FormProps, "rule">) {
  const points = (name: "spreadBasisPoints" | "feeBasisPoints", label: string) => (
    <Field
      label={label}
      hint={say("prices.basis_points")}
      name={name}
      inputMode="numeric"
      initial={String(rule?.[name] ?? "")}
      required
    />
  );
  const euro = (name: "fixedFeeEuro" | "minEuro" | "maxEuro", label: string) => (
    <AmountField
      label={label}
      hint={say("prices.euro")}
      name={name}
      initial={rule ? typedAmount(rule[name]) : ""}
      required
    />
  );
  return (
    <>
      {points("spreadBasisPoints", say("prices.spread"))}
      {points("feeBasisPoints", say("prices.fee"))}
      {euro("fixedFeeEuro", say("prices.fixed_fee"))}
      {euro("minEuro", say("prices.min"))}
      {euro("maxEuro", say("prices.max"))}
      <label class="choice">
        <input type="checkbox" name="enabled" defaultChecked={rule?.enabled ?? true} />
        <span>{say("prices.enabled")}</span>
      </label>
    </>
  );
}

/** Returns the rule as it is written. An empty selector matches everything, and an empty time is not sent. */
async function writtenRule(
  form: HTMLFormElement,
  { rule, chosen }: Pick<FormProps, "rule"> & { readonly chosen: Chosen },
) {
  const text = textsOf(form);
  const euro = (name: string): Promise<string> => exactOf(text(name));
  const from = Date.parse(text("effectiveFrom"));
  const selectors = {
    merchantId: rule ? rule.merchantId : text("merchantId"),
    operation: chosen.operation,
    paymentMethod: chosen.paymentMethod,
    currency: rule ? rule.currency : text("currency"),
  };
  return {
    reference: rule?.reference ?? text("reference"),
    ...Object.fromEntries(Object.entries(selectors).filter(([, value]) => Boolean(value))),
    spreadBasisPoints: Number(text("spreadBasisPoints") || "NaN"),
    feeBasisPoints: Number(text("feeBasisPoints") || "NaN"),
    fixedFeeEuro: await euro("fixedFeeEuro"),
    minEuro: await euro("minEuro"),
    maxEuro: await euro("maxEuro"),
    enabled: text("enabled") === "on",
    ...(Number.isNaN(from) ? {} : { effectiveFrom: Math.floor(from / 1_000) }),
  };
}
