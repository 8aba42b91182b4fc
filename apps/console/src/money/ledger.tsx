import type { LEDGER_ACCOUNTS } from "@exchange/contract/admin";
import { MerchantField } from "../merchants/merchant-field.tsx";
import { goTo, type ScreenProps } from "../route.ts";
import { say, sayWord } from "../say.ts";
import { Field, Select } from "../ui/fields.tsx";
import { OwedTerm } from "../ui/figures.tsx";
import { readForm } from "../ui/form.ts";
import { Screen } from "../ui/screen.tsx";
import { Entries } from "./entries.tsx";
import { spanOf } from "./span.tsx";

const DAYS = 7;

type Account = (typeof LEDGER_ACCOUNTS)[number];

/** The accounts of the ledger as filters. The compiler asks for each. */
const ACCOUNT_FILTERS: Readonly<Record<Account, true>> = {
  customer_funds: true,
  customer_payable: true,
  liquidity: true,
  payouts_in_flight: true,
  refunds_in_flight: true,
  chain_wallet: true,
  bank_account: true,
  card_processor: true,
  suspense: true,
  spread_revenue: true,
  fee_revenue: true,
  delivery_fee_revenue: true,
  network_fees: true,
  house_capital: true,
};
const ACCOUNTS = Object.keys(ACCOUNT_FILTERS) as readonly Account[];

/** Entries of an order, or of an account in some days. */
export function Ledger({ route }: ScreenProps) {
  const { query } = route;
  const orderId = query["orderId"] ?? "";
  const { account = "", currency = "" } = query;
  const { from, to, merchantId } = spanOf(query, DAYS);
  const search = (event: SubmitEvent) => {
    const text = readForm(event);
    const order = text("orderId");
    const days = { from: text("from"), to: text("to") };
    goTo("ledger", {
      ...(order === "" ? days : { orderId: order }),
      account,
      currency: text("currency").toLowerCase(),
      merchantId: text("merchantId"),
    });
  };
  const shared = { account, currency, merchantId };
  return (
    <Screen title={say("nav.ledger")}>
      <p class="muted">{say("ledger.text")}</p>
      <form role="search" class="filters" onSubmit={search}>
        <Field label={say("orders.order")} name="orderId" initial={orderId} inputMode="numeric" />
        <Field label={say("money.from")} name="from" type="date" initial={from} />
        <Field label={say("money.to")} name="to" type="date" initial={to} />
        <Select
          label={say("ledger.account")}
          name="account"
          value={account}
          options={[
            ["", say("common.all")],
            ...ACCOUNTS.map((word) => [word, sayWord("books", word)] as const),
          ]}
          onChoose={(value) => goTo("ledger", { ...query, account: value, cursor: undefined })}
        />
        <Field label={say("money.currency")} name="currency" initial={currency} />
        <MerchantField initial={merchantId} />
        <button type="submit" class="button primary">
          {say("audit.search")}
        </button>
      </form>
      <p class="muted small">{say("money.utc")}</p>
      {account === "customer_payable" && <OwedTerm />}
      <Entries
        place="ledger"
        query={query}
        filters={orderId === "" ? { ...shared, from, to } : { ...shared, orderId }}
      />
    </Screen>
  );
}
