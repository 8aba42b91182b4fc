import { MerchantField } from "../merchants/merchant-field.tsx";
import { reasonsFor, STATUSES } from "../order-words.ts";
import { goTo } from "../route.ts";
import { say, sayTime, sayWord, zoneName } from "../say.ts";
import { Field } from "../ui/fields.tsx";
import { FileButton } from "../ui/file-button.tsx";
import { Filter } from "../ui/filter.tsx";
import { readForm } from "../ui/form.ts";

const OPERATIONS = ["buy", "sell", "crypto_to_crypto", "fiat_to_fiat"] as const;

/** The filters of the list of orders, and the time zone of its days. They live in the address. */
export function OrderFilters(props: {
  readonly filters: Readonly<Record<string, string>>;
  readonly isOperator: boolean;
}) {
  const { filters, isOperator } = props;
  const listed = { place: "orders", filters };
  return (
    <>
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
          options={reasonsFor({ isOperator }).map(
            (word) => [word, sayWord("reason", word)] as const,
          )}
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
      <p class="muted small">{boundsText(filters)}</p>
    </>
  );
}

const isTime = (seconds: string): boolean => /^\d{1,12}$/.test(seconds);

/** Says the time zone, and the exact bounds of the list where it has any: they need not be midnights. */
function boundsText({ from = "", before = "" }: Readonly<Record<string, string>>): string {
  return [
    ...(isTime(from) ? [say("orders.placed_from", { time: sayTime(Number(from)) })] : []),
    ...(isTime(before) ? [say("orders.placed_before", { time: sayTime(Number(before)) })] : []),
    say("orders.zone", { zone: zoneName() }),
  ].join(" ");
}

/**
 * The filters that are typed: the first and the last day of the placing, in the person's time zone, and a merchant. A day
 * that stays as it was keeps its exact bound.
 */
function Details(props: {
  readonly filters: Readonly<Record<string, string>>;
  readonly isOperator: boolean;
}) {
  const { filters, isOperator } = props;
  const { from = "", before = "", merchantId = "" } = filters;
  const shown = { first: dayOf(from), last: dayOf(before, -1) };
  const search = (event: SubmitEvent): void => {
    const text = readForm(event);
    const [first, last] = [text("from"), text("to")];
    goTo("orders", {
      ...filters,
      cursor: undefined,
      from: first === shown.first ? from : first && String(midnightOf(first)),
      before: last === shown.last ? before : last && String(midnightOf(last, 1)),
      merchantId: isOperator ? text("merchantId") : undefined,
    });
  };
  return (
    <form onSubmit={search}>
      <Field label={say("money.from")} name="from" type="date" initial={shown.first} />
      <Field label={say("money.to")} name="to" type="date" initial={shown.last} />
      {isOperator && <MerchantField initial={merchantId} />}
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
  if (!isTime(seconds)) return "";
  const time = new Date((Number(seconds) + shift) * 1_000);
  const two = (part: number): string => String(part).padStart(2, "0");
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}
