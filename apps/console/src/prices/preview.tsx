import type {
  PreviewedQuote,
  PriceBook,
  PricePreviewData,
  PriceRule,
} from "@exchange/contract/admin";
import { useState } from "preact/hooks";
import { type Call, call } from "../api.ts";
import { countriesByName, say, sayAmount, sayTime, sayWord } from "../say.ts";
import { AmountField } from "../ui/amount-field.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Select } from "../ui/fields.tsx";
import { exactOf, readForm } from "../ui/form.ts";
import { Table } from "../ui/table.tsx";
import { useAction } from "../ui/use-data.ts";

/** The exchange that a preview begins with, by operation. */
const EXAMPLES = {
  buy: { spend: "eur", receive: "btc", method: "card" },
  sell: { spend: "btc", receive: "eur", method: "crypto" },
  crypto_to_crypto: { spend: "btc", receive: "eth", method: "crypto" },
  fiat_to_fiat: { spend: "eur", receive: "usd", method: "card" },
} as const;
type Operation = keyof typeof EXAMPLES;
const OPERATIONS = Object.keys(EXAMPLES) as Operation[];

type Side = "spend" | "receive";
const isCryptoSide = (operation: Operation, side: Side): boolean =>
  operation === "crypto_to_crypto" || operation === (side === "spend" ? "sell" : "buy");

type Options = readonly (readonly [value: string, text: string])[];
const named = (values: readonly string[]): Options => values.map((value) => [value, value]);

const currenciesOf = ({ currencies }: PriceBook, operation: Operation, side: Side): Options =>
  named(
    currencies
      .filter(({ isCrypto }) => isCrypto === isCryptoSide(operation, side))
      .map(({ reference }) => reference),
  );
const countriesOf = ({ countries }: PriceBook): Options => [
  ["", say("prices.any")],
  ...countriesByName(countries),
];

interface Exchange {
  readonly of: Operation;
  readonly spend: string;
  readonly receive: string;
  readonly method: string;
  readonly country: string;
}

function exampleOf(rule: PriceRule | undefined, operation?: Operation): Exchange {
  const of = operation ?? rule?.operation ?? "buy";
  const example = EXAMPLES[of];
  return { of, ...example, method: rule?.paymentMethod ?? example.method, country: "" };
}

/** Prices one exchange without a change and with it, as a quote would. */
export function Preview(props: {
  readonly book: PriceBook;
  readonly rule: PriceRule | undefined;
  /** Names the change, or the rule that is being written. */
  readonly query: () => Promise<NonNullable<Call["query"]>>;
}) {
  const { book, rule, query } = props;
  const { isBusy, error, run } = useAction();
  const [exchange, setExchange] = useState(() => exampleOf(rule));
  const [shown, setShown] = useState<PricePreviewData>();
  const show = (event: SubmitEvent) => {
    const text = readForm(event)("amount");
    run(async () => {
      const example = { ...(await query()), ...exchange, amount: await exactOf(text) };
      setShown(await call<PricePreviewData>("/prices/preview", { query: example }));
    });
  };
  const currencies = (side: Side): Options => currenciesOf(book, exchange.of, side);
  const choice = (name: keyof Exchange, label: string, options: Options) => (
    <Select
      label={label}
      name={`preview-${name}`}
      value={exchange[name]}
      options={options}
      onChoose={(value) => setExchange({ ...exchange, [name]: value })}
    />
  );
  return (
    <section aria-label={say("prices.preview")}>
      <h2>{say("prices.preview")}</h2>
      <p class="muted">{say("prices.preview_text")}</p>
      <form class="filters" onSubmit={show}>
        <Select
          label={say("orders.operation")}
          name="preview-of"
          value={exchange.of}
          options={OPERATIONS.map((name) => [name, sayWord("operation", name)] as const)}
          onChoose={(value) => setExchange(exampleOf(rule, value as Operation))}
        />
        <AmountField label={say("prices.amount")} name="amount" initial="250" required />
        {choice("spend", say("orders.spends"), currencies("spend"))}
        {choice("receive", say("orders.receives"), currencies("receive"))}
        {choice("method", say("prices.method"), named(book.paymentMethods))}
        {choice("country", say("order.country"), countriesOf(book))}
        <button type="submit" class="button" aria-disabled={isBusy}>
          {say("prices.show_preview")}
        </button>
      </form>
      <ErrorNotice error={error} />
      {shown && <Comparison preview={shown} />}
    </section>
  );
}

type Quote = NonNullable<PreviewedQuote["quote"]>;

function Comparison({ preview }: { readonly preview: PricePreviewData }) {
  const { before, after } = preview;
  const row = (key: string, label: string, text: (quote: Quote) => string) => ({
    key,
    cells: [label, ...[before, after].map(({ quote }) => (quote ? text(quote) : ""))],
  });
  const refused = [before, after].some(({ quote }) => quote === null);
  const rows = [
    row("receive", say("prices.receives"), ({ receive }) => sayAmount(receive)),
    row("fee", say("order.fee"), ({ transactionFee }) => sayAmount(transactionFee)),
    row("delivery", say("order.delivery_fee"), ({ deliveryFee }) => sayAmount(deliveryFee)),
    row("spread", say("order.spread"), ({ spread }) => sayAmount(spread)),
    row("rate", say("order.rate"), ({ rate, receive }) => sayAmount({ ...receive, amount: rate })),
    row("rule", say("prices.priced_by"), ({ reference }) => reference),
    ...(refused
      ? [{ key: "refused", cells: [say("audit.reason"), before.message, after.message] }]
      : []),
  ];
  return (
    <div role="status">
      <p class="small">
        {say("prices.effective")}: {sayTime(preview.at)}
      </p>
      <Table
        caption={say("prices.preview")}
        columns={[say("prices.figure"), say("prices.before"), say("prices.after")]}
        rows={rows}
      />
    </div>
  );
}
