import type { WebhookDelivery, WebhookEndpointData } from "@exchange/contract";
import { useState } from "preact/hooks";
import { CallError, call, callWhole, type Listed } from "../api.ts";
import { linkTo } from "../route.ts";
import { say, sayTime, sayWord } from "../say.ts";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { FileButton } from "../ui/file-button.tsx";
import { Filter } from "../ui/filter.tsx";
import { ListOf } from "../ui/list-of.tsx";
import { Empty } from "../ui/loading.tsx";
import { Status } from "../ui/status.tsx";
import { Table } from "../ui/table.tsx";
import { useAction, useData } from "../ui/use-data.ts";
import { EVENTS } from "./endpoint-forms.tsx";

const STATUSES = ["pending", "delivered", "exhausted", "dropped"] as const;

interface ListProps {
  readonly filters: Readonly<Record<string, string>>;
  readonly endpoints: readonly WebhookEndpointData[];
  readonly isManaged: boolean;
}

/** Deliveries by filters that live in the address. Chosen ones are sent again. */
export function Deliveries(props: ListProps) {
  const { filters } = props;
  const loaded = useData(
    JSON.stringify(filters),
    () => callWhole<Listed<WebhookDelivery>>("/webhook_deliveries", { query: filters }),
    ["webhooks"],
  );
  return (
    <section>
      <h2>{say("order.deliveries")}</h2>
      <Filters {...props} />
      <ListOf
        loaded={loaded}
        place="webhooks"
        filters={filters}
        empty={<Empty text={say("webhooks.no_delivery")} />}
      >
        {(data) => <Chosen {...props} deliveries={data} onSent={loaded.reload} />}
      </ListOf>
    </section>
  );
}

function Filters({ filters, endpoints }: ListProps) {
  const listed = { place: "webhooks", filters };
  return (
    <div class="filters">
      <Filter
        {...listed}
        name="endpointId"
        label={say("webhooks.endpoint")}
        options={endpoints.map(({ id, url }) => [id, url] as const)}
      />
      <Filter
        {...listed}
        name="status"
        label={say("orders.status")}
        options={STATUSES.map((word) => [word, sayWord("status", word)] as const)}
      />
      <Filter
        {...listed}
        name="eventType"
        label={say("order.event")}
        options={EVENTS.map((type) => [type, type] as const)}
      />
      <FileButton
        label={say("file.csv")}
        path="/webhook_deliveries/export"
        query={{ ...filters, cursor: "" }}
      />
    </div>
  );
}

function Chosen(
  props: ListProps & {
    readonly deliveries: readonly WebhookDelivery[];
    readonly onSent: () => void;
  },
) {
  const { isBusy, error, run } = useAction();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const urls = new Map(props.endpoints.map(({ id, url }) => [id, url]));
  const toggle = (id: string): void => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  const toSend = props.deliveries.filter(({ id }) => chosen.has(id));
  const isSent = (id: string): void =>
    setChosen((now) => new Set([...now].filter((one) => one !== id)));
  const sendAgain = () => run(() => sendEach(toSend, isSent).finally(props.onSent));
  return (
    <>
      <ErrorNotice error={error} />
      <Table
        caption={say("order.deliveries")}
        columns={[
          say("order.at"),
          say("order.event"),
          say("orders.order"),
          say("orders.status"),
          say("webhooks.attempts"),
          say("webhooks.endpoint"),
          ...(props.isManaged ? [say("webhooks.choose")] : []),
        ]}
        rows={props.deliveries.map((one) => ({
          key: one.id,
          cells: [
            ...cellsOf(one, urls.get(one.endpointId)),
            ...(props.isManaged
              ? [
                  urls.has(one.endpointId) && (
                    <input
                      key="choose"
                      type="checkbox"
                      aria-label={say("webhooks.choose_item", { event: one.eventType, id: one.id })}
                      checked={chosen.has(one.id)}
                      onChange={() => toggle(one.id)}
                    />
                  ),
                ]
              : []),
          ],
        }))}
      />
      {toSend.length > 0 && (
        <button type="button" class="button" aria-disabled={isBusy} onClick={sendAgain}>
          {say("webhooks.send_count", { count: toSend.length })}
        </button>
      )}
    </>
  );
}

/** Sends deliveries again, even after one that was refused. Throws the first refusal. */
async function sendEach(
  deliveries: readonly WebhookDelivery[],
  isSent: (id: string) => void,
): Promise<void> {
  const refused: unknown[] = [];
  for (const { id } of deliveries) {
    try {
      await call(`/webhook_deliveries/${id}/replay`, { method: "POST" });
      isSent(id);
    } catch (failed) {
      if (!isOfOneDelivery(failed)) throw failed;
      refused.push(failed);
    }
  }
  if (refused.length > 0) throw refused[0];
}

/** A refusal that says nothing about the other deliveries. */
const isOfOneDelivery = (failed: unknown): boolean =>
  failed instanceof CallError && ["INVALID_INPUT", "NOT_FOUND"].includes(failed.code);

const cellsOf = (one: WebhookDelivery, url: string | undefined) => [
  <a key="link" href={linkTo(`webhooks/${one.id}`)}>
    {sayTime(one.createdAt)}
  </a>,
  one.eventType,
  one.test ? say("webhooks.is_test") : one.orderId,
  <Status key="status" word={one.status} />,
  one.attemptCount,
  url ?? say("webhooks.removed"),
];
