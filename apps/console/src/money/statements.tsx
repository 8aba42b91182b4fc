import type { Statement } from "@exchange/contract/admin";
import { call } from "../api.ts";
import type { ScreenProps } from "../route.ts";
import { say, sayWord } from "../say.ts";
import { Coins, OwedTerm } from "../ui/figures.tsx";
import { FileButton } from "../ui/file-button.tsx";
import { Empty, Loading } from "../ui/loading.tsx";
import { Screen } from "../ui/screen.tsx";
import { Table } from "../ui/table.tsx";
import { useData } from "../ui/use-data.ts";
import { Entries } from "./entries.tsx";
import { type Span, SpanForm, spanOf } from "./span.tsx";

const DAYS = 31;

/** A merchant's books of a month or a range: what each account had, every entry between, and what it has. */
export function Statements({ route, me }: ScreenProps) {
  const { query } = route;
  const isOperator = me.merchantId === null;
  const span = spanOf(query, DAYS);
  return (
    <Screen title={say("nav.statements")}>
      <p class="muted">{say("statements.text")}</p>
      <SpanForm place="statements" query={query} span={span} hasMerchant={isOperator} />
      {isOperator && span.merchantId === "" ? (
        <Empty text={say("statements.choose_merchant")} />
      ) : (
        <>
          <Sums span={span} />
          <section>
            <h2>{say("ledger.entries")}</h2>
            <Entries place="statements" query={query} filters={{ ...span }} />
          </section>
        </>
      )}
    </Screen>
  );
}

function Sums({ span }: { readonly span: Span }) {
  const loaded = useData(JSON.stringify(span), () =>
    call<Statement>("/statements", { query: { ...span } }),
  );
  return (
    <Loading loaded={loaded}>
      {({ merchantName, from, to, sums }) => (
        <section>
          <div class="head">
            <h2>{say("statements.of", { merchant: merchantName, from, to })}</h2>
            <div class="actions">
              {(["csv", "json"] as const).map((format) => (
                <FileButton
                  key={format}
                  label={say("statements.save", { format: format.toUpperCase() })}
                  path="/reports/statement/download"
                  query={{ ...span, format }}
                />
              ))}
            </div>
          </div>
          {sums.length === 0 ? <Empty text={say("statements.empty")} /> : <SumTable sums={sums} />}
        </section>
      )}
    </Loading>
  );
}

const SUMS = ["opening", "debits", "credits", "closing"] as const;

function SumTable({ sums }: Pick<Statement, "sums">) {
  return (
    <>
      {sums.some(({ account }) => account === "customer_payable") && <OwedTerm />}
      <Table
        caption={say("nav.statements")}
        figures={SUMS.map((name) => say(`statements.${name}`))}
        columns={[
          say("ledger.account"),
          say("money.currency"),
          ...SUMS.map((name) => say(`statements.${name}`)),
        ]}
        rows={sums.map(({ account, currency, ...sum }) => ({
          key: `${account} ${currency}`,
          cells: [
            sayWord("books", account),
            currency.toUpperCase(),
            ...SUMS.map((name) => <Coins key={name} amount={sum[name]} currency={currency} />),
          ],
        }))}
      />
    </>
  );
}
