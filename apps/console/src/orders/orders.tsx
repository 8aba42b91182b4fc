import type { FoundOrder, ListedOrder } from "@exchange/contract/admin";
import { call, callWhole, type Listed } from "../api.ts";
import { reasonsFor, STATUSES } from "../order-words.ts";
import { goTo, linkTo, type ScreenProps } from "../route.ts";
import { say, sayAmount, sayList, sayTime, sayWord } from "../say.ts";
import { FileButton } from "../ui/file-button.tsx";
import { Filter } from "../ui/filter.tsx";
import { readForm } from "../ui/form.ts";
import { ListOf } from "../ui/list-of.tsx";
import { Empty, Field, Loading, Screen, Status, Table } from "../ui/parts.tsx";
import { useData } from "../ui/use-data.ts";
import { Views } from "../ui/views.tsx";

const OPERATIONS = ["buy", "sell", "crypto_to_crypto", "fiat_to_fiat"] as const;

/** Orders by filters that live in the address, and one box that finds an order by anything. */
export function Orders({ route, me }: ScreenProps) {
  const { find = "", ...filters } = route.query;
  return (
    <Screen title={say("nav.orders")} isLive>
      <Search text={find} />
      {find === "" ? (
        <Filtered
          personId={me.personId}
          filters={filters}
          isOperator={me.merchantId === null}
          hasSandbox={me.environment !== "prod"}
        />
      ) : (
        <Found text={find} />
      )}
    </Screen>
  );
}

function Search({ text }: { readonly text: string }) {
  const submit = (event: SubmitEvent) => {
    goTo("orders", { find: readForm(event)("find") });
  };
  return (
    <form role="search" class="search" onSubmit={submit}>
      <label class="hidden" for="find">
        {say("orders.find")}
      </label>
      <input
        id="find"
        name="find"
        type="search"
        value={text}
        placeholder={say("orders.find_hint")}
      />
      <button type="submit" class="button primary">
        {say("orders.find")}
      </button>
    </form>
  );
}

function Found({ text }: { readonly text: string }) {
  const loaded = useData(text, () =>
    call<readonly FoundOrder[]>("/orders/search", { query: { text } }),
  );
  return (
    <Loading loaded={loaded}>
      {(orders) =>
        orders.length === 0 ? (
          <Empty text={say("orders.not_found", { text })}>
            <a class="button" href={linkTo("orders")}>
              {say("orders.show_all")}
            </a>
          </Empty>
        ) : (
          <OrderTable
            orders={orders}
            extra={[
              say("orders.found_by"),
              (index) =>
                sayList((orders[index]?.foundBy ?? []).map((fact) => sayWord("found", fact))),
            ]}
          />
        )
      }
    </Loading>
  );
}

function Filtered(props: {
  readonly personId: string;
  readonly filters: Readonly<Record<string, string>>;
  readonly isOperator: boolean;
  readonly hasSandbox: boolean;
}) {
  const { filters } = props;
  const maySeed = props.hasSandbox && props.isOperator && Object.keys(filters).length === 0;
  const loaded = useData(
    JSON.stringify(filters),
    () => callWhole<Listed<ListedOrder>>("/orders", { query: filters }),
    ["orders"],
  );
  return (
    <>
      <Views place="orders" personId={props.personId} filters={filters} />
      <Filters filters={filters} isOperator={props.isOperator} />
      <ListOf
        loaded={loaded}
        place="orders"
        filters={filters}
        empty={
          <Empty text={say(maySeed ? "orders.seed" : "orders.empty")}>
            {maySeed && <code>exchange demo seed</code>}
            <a class="button" href={linkTo("orders")}>
              {say("orders.show_all")}
            </a>
          </Empty>
        }
      >
        {(data) => (
          <OrderTable
            orders={data}
            {...(props.isOperator && {
              extra: [say("orders.merchant"), (index: number) => data[index]?.merchantName ?? ""],
            })}
          />
        )}
      </ListOf>
    </>
  );
}

function Filters(props: {
  readonly filters: Readonly<Record<string, string>>;
  readonly isOperator: boolean;
}) {
  const { filters, isOperator } = props;
  const listed = { place: "orders", filters };
  return (
    <div class="filters">
      <Filter
        {...listed}
        name="status"
        label={say("orders.status")}
        options={STATUSES.map((word) => [word, sayWord("status", word)] as const)}
      />
      <Filter
        {...listed}
        name="reason"
        label={say("audit.reason")}
        options={reasonsFor({ isOperator }).map((word) => [word, sayWord("reason", word)] as const)}
      />
      <Filter
        {...listed}
        name="operation"
        label={say("orders.operation")}
        options={OPERATIONS.map((word) => [word, sayWord("operation", word)] as const)}
      />
      <Details filters={filters} isOperator={isOperator} />
      <FileButton
        label={say("file.csv")}
        path="/orders/export"
        query={{ ...filters, cursor: "" }}
      />
    </div>
  );
}

/** The filters that are typed: the first and the last day of the placing, in the person's time zone, and a merchant. */
function Details(props: {
  readonly filters: Readonly<Record<string, string>>;
  readonly isOperator: boolean;
}) {
  const { filters, isOperator } = props;
  const { from = "", before = "", merchantId = "" } = filters;
  const search = (event: SubmitEvent): void => {
    const text = readForm(event);
    const [first, last] = [text("from"), text("to")];
    goTo("orders", {
      ...filters,
      cursor: undefined,
      from: first && String(midnightOf(first)),
      before: last && String(midnightOf(last, 1)),
      merchantId: isOperator ? text("merchantId") : undefined,
    });
  };
  return (
    <form onSubmit={search}>
      <Field label={say("money.from")} name="from" type="date" initial={dayOf(from)} />
      <Field label={say("money.to")} name="to" type="date" initial={dayOf(before, -1)} />
      {isOperator && (
        <Field
          label={say("money.merchant")}
          name="merchantId"
          initial={merchantId}
          maxLength={64}
        />
      )}
      <button type="submit" class="button">
        {say("audit.search")}
      </button>
    </form>
  );
}

/** Returns the beginning of a local day, or of one some days later, in Unix seconds. */
function midnightOf(day: string, later = 0): number {
  const time = new Date(`${day}T00:00`);
  time.setDate(time.getDate() + later);
  return time.getTime() / 1_000;
}

/** Returns the local day of a time in the address, or of some seconds later, as a field of a date shows it. */
function dayOf(seconds: string, shift = 0): string {
  if (!/^\d{1,12}$/.test(seconds)) return "";
  const time = new Date((Number(seconds) + shift) * 1_000);
  const two = (part: number): string => String(part).padStart(2, "0");
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}

function OrderTable(props: {
  readonly orders: readonly ListedOrder[];
  readonly extra?: readonly [name: string, cell: (index: number) => string];
}) {
  const [name, cell] = props.extra ?? [];
  return (
    <Table
      caption={say("nav.orders")}
      columns={[
        say("orders.order"),
        say("orders.status"),
        say("orders.operation"),
        say("orders.spends"),
        say("orders.receives"),
        ...(name === undefined ? [] : [name]),
        say("orders.placed"),
      ]}
      rows={props.orders.map((order, index) => ({
        key: String(order.orderId),
        cells: [
          <a key="link" href={linkTo(`orders/${order.orderId}`)}>
            {order.orderId}
          </a>,
          <Status key="status" word={order.status} reason={order.statusReason} />,
          sayWord("operation", order.operation),
          sayAmount(order.spend),
          sayAmount(order.receive),
          ...(cell === undefined ? [] : [cell(index)]),
          sayTime(order.createdAt),
        ],
      }))}
    />
  );
}
