import type { OrderStory, ReviewedOrder } from "@exchange/contract/admin";
import { call, callWhole, type Listed } from "../api.ts";
import { reasonsFor } from "../order-words.ts";
import { linkTo, type ScreenProps } from "../route.ts";
import { say, sayAge, sayAmount, sayWord } from "../say.ts";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Select } from "../ui/fields.tsx";
import { FileButton } from "../ui/file-button.tsx";
import { Filter, filterOf } from "../ui/filter.tsx";
import { ListOf } from "../ui/list-of.tsx";
import { Empty } from "../ui/loading.tsx";
import { Screen } from "../ui/screen.tsx";
import { Table } from "../ui/table.tsx";
import { useAction, useData } from "../ui/use-data.ts";

/** The queue is the operator's alone. */
const REASONS = reasonsFor({ isOperator: true, inReview: true });
const WHICH = ["all", "free", "mine"] as const;
/** Orders in review: why, for how long, and the person who has taken each. */
export function Reviews({ route, may }: ScreenProps) {
  const filters = route.query;
  const loaded = useData(
    JSON.stringify(filters),
    () => callWhole<Listed<ReviewedOrder>>("/reviews", { query: filters }),
    ["reviews"],
  );
  return (
    <Screen title={say("nav.reviews")} isLive>
      <Filters filters={filters} />
      <ListOf
        loaded={loaded}
        place="reviews"
        filters={filters}
        empty={<NoReview isFiltered={Object.keys(filters).length > 0} />}
      >
        {(data) => <Queue reviews={data} mayTake={may("orders.review")} onChange={loaded.reload} />}
      </ListOf>
    </Screen>
  );
}

/** Without a filter nobody waits, and there is no filter to remove. */
const NoReview = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <Empty text={say("reviews.empty")}>
      <a class="button" href={linkTo("reviews")}>
        {say("reviews.show_all")}
      </a>
    </Empty>
  ) : (
    <Empty text={say("home.nothing")}>
      <a class="button" href={linkTo("orders")}>
        {say("home.see_orders")}
      </a>
    </Empty>
  );

function Filters({ filters }: { readonly filters: Readonly<Record<string, string>> }) {
  return (
    <div class="filters">
      <Select
        label={say("reviews.which")}
        name="which"
        value={filters["which"] ?? "all"}
        options={WHICH.map((name) => [name, say(`reviews.${name}`)] as const)}
        onChoose={(value) => filterOf("reviews", filters)("which", value === "all" ? "" : value)}
      />
      <Filter
        place="reviews"
        filters={filters}
        name="reason"
        label={say("audit.reason")}
        options={REASONS.map((word) => [word, sayWord("reason", word)] as const)}
      />
      <FileButton
        label={say("file.csv")}
        path="/reviews/export"
        query={{ ...filters, cursor: "" }}
      />
    </div>
  );
}

function Queue(props: {
  readonly reviews: readonly ReviewedOrder[];
  readonly mayTake: boolean;
  readonly onChange: () => void;
}) {
  const { isBusy, error, run } = useAction();
  // A refusal means that somebody else was earlier, so the list is read again in both cases.
  const change = ({ reviewer, orderId }: ReviewedOrder) =>
    run(async () => {
      const path = `/orders/${orderId}/${reviewer ? "free" : "take"}`;
      const body = reviewer ? { reviewer: reviewer.person } : undefined;
      await call<OrderStory>(path, { method: "POST", body }).finally(props.onChange);
    });
  const buttonOf = (order: ReviewedOrder) => {
    const action = sayWord("action", order.reviewer ? "free" : "take");
    return (
      <button
        key="change"
        type="button"
        class="button"
        aria-disabled={isBusy}
        aria-label={`${action}: ${order.orderId}`}
        onClick={() => change(order)}
      >
        {action}
      </button>
    );
  };
  return (
    <>
      <ErrorNotice error={error} />
      <Table
        caption={say("nav.reviews")}
        figures={[say("orders.spends")]}
        columns={[
          say("orders.order"),
          say("audit.reason"),
          say("reviews.waits"),
          say("reviews.reviewer"),
          say("orders.spends"),
          say("orders.merchant"),
          ...(props.mayTake ? [say("reviews.change")] : []),
        ]}
        rows={props.reviews.map((order) => ({
          key: String(order.orderId),
          cells: [...cellsOf(order), ...(props.mayTake ? [buttonOf(order)] : [])],
        }))}
      />
    </>
  );
}

const cellsOf = (order: ReviewedOrder) => [
  <a key="link" href={linkTo(`orders/${order.orderId}`)}>
    {order.orderId}
  </a>,
  sayWord("reason", order.statusReason ?? "unknown"),
  sayAge(Math.max(0, Date.now() / 1_000 - order.inReviewSince)),
  reviewerWords(order.reviewer),
  sayAmount(order.spend),
  order.merchantName,
];

/** Returns the person who has an order, in words. */
export function reviewerWords(reviewer: ReviewedOrder["reviewer"]): string {
  if (reviewer === null) return say("reviews.nobody");
  return reviewer.isYou ? say("reviews.you") : reviewer.person;
}
