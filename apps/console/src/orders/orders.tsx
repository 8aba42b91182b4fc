import type { FoundOrder, ListedOrder } from "@exchange/contract/admin";
import { call, callWhole, type Listed } from "../api.ts";
import { goTo, linkTo, type ScreenProps } from "../route.ts";
import { say, sayAmount, sayList, sayTime, sayWord } from "../say.ts";
import { readForm } from "../ui/form.ts";
import { ListOf } from "../ui/list-of.tsx";
import { Empty, Loading } from "../ui/loading.tsx";
import { Screen } from "../ui/screen.tsx";
import { Status } from "../ui/status.tsx";
import { Table } from "../ui/table.tsx";
import { useData } from "../ui/use-data.ts";
import { Views } from "../ui/views.tsx";
import { OrderFilters } from "./order-filters.tsx";

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
      <input id="find" name="find" type="search" value={text} aria-describedby="find-hint" />
      <button type="submit" class="button primary">
        {say("orders.find")}
      </button>
      <small id="find-hint" class="muted">
        {say("orders.find_hint")}
      </small>
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
  const isFiltered = Object.keys(filters).length > 0;
  const maySeed = props.hasSandbox && props.isOperator && !isFiltered;
  const loaded = useData(
    JSON.stringify(filters),
    () => callWhole<Listed<ListedOrder>>("/orders", { query: filters }),
    ["orders"],
  );
  return (
    <>
      <Views place="orders" personId={props.personId} filters={filters} />
      <OrderFilters filters={filters} isOperator={props.isOperator} />
      <ListOf
        loaded={loaded}
        place="orders"
        filters={filters}
        empty={
          <Empty text={say(maySeed ? "orders.seed" : "orders.empty")}>
            {maySeed && <code>exchange demo seed</code>}
            {isFiltered && (
              <a class="button" href={linkTo("orders")}>
                {say("orders.show_all")}
              </a>
            )}
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

function OrderTable(props: {
  readonly orders: readonly ListedOrder[];
  readonly extra?: readonly [name: string, cell: (index: number) => string];
}) {
  const [name, cell] = props.extra ?? [];
  return (
    <Table
      caption={say("nav.orders")}
      figures={[say("orders.spends"), say("orders.receives")]}
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
