import type { WebhookDelivery } from "@exchange/contract";
import type { SpelledDelivery } from "@exchange/contract/admin";
import { call } from "../api.ts";
import { linkTo, type ScreenProps } from "../route.ts";
import { say, sayTime } from "../say.ts";
import { Code } from "../ui/code.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Empty, Loading } from "../ui/loading.tsx";
import { Screen } from "../ui/screen.tsx";
import { Status } from "../ui/status.tsx";
import { Facts, Table } from "../ui/table.tsx";
import { useAction, useData } from "../ui/use-data.ts";

/** One delivery: each attempt with its answer, the body, and how its signatures are made. */
export function Delivery({ route, may }: ScreenProps) {
  const [, id = ""] = route.path;
  const path = `/webhook_deliveries/${encodeURIComponent(id)}`;
  const loaded = useData(id, () => call<SpelledDelivery>(path), ["webhooks"]);
  const { isBusy, error, run } = useAction();
  const sendAgain = () =>
    run(async () => {
      await call(`${path}/replay`, { method: "POST" });
      loaded.reload();
    });
  return (
    <Screen
      title={say("delivery.title")}
      isLive
      actions={
        loaded.data &&
        may("webhooks.manage") && (
          <button type="button" class="button primary" aria-disabled={isBusy} onClick={sendAgain}>
            {say("delivery.again")}
          </button>
        )
      }
    >
      <ErrorNotice error={error} />
      <Loading loaded={loaded} sought={{ id, place: "webhooks", label: say("nav.webhooks") }}>
        {({ delivery, body, signedStrings }) => (
          <>
            <Head delivery={delivery} />
            <Attempts delivery={delivery} />
            <section>
              <h2>{say("delivery.body")}</h2>
              <Code label={say("delivery.body")} text={body} />
            </section>
            <section>
              <h2>{say("delivery.signed")}</h2>
              <p class="muted">{say("delivery.signed_text")}</p>
              <h3>webhook-signature</h3>
              <p class="muted">{say("delivery.standard_text")}</p>
              <Code label="webhook-signature" text={signedStrings.standard} />
              <h3>X-Webhook-Signature</h3>
              <p class="muted">{say("delivery.documented_text")}</p>
              <Code label="X-Webhook-Signature" text={signedStrings.documented} />
            </section>
          </>
        )}
      </Loading>
    </Screen>
  );
}

function Head({ delivery }: { readonly delivery: WebhookDelivery }) {
  return (
    <section class="card">
      <Facts
        facts={[
          [say("order.event"), delivery.eventType],
          [say("orders.status"), <Status key="status" word={delivery.status} />],
          [
            say("orders.order"),
            delivery.test ? (
              say("webhooks.is_test")
            ) : (
              <a key="order" href={linkTo(`orders/${delivery.orderId}`)}>
                {delivery.orderId}
              </a>
            ),
          ],
          ["X-Webhook-Id", <code key="id">{delivery.id}</code>],
          [say("order.at"), sayTime(delivery.createdAt)],
          [say("delivery.next"), delivery.nextAttemptAt && sayTime(delivery.nextAttemptAt)],
        ]}
      />
    </section>
  );
}

function Attempts({ delivery: { attempts } }: { readonly delivery: WebhookDelivery }) {
  return (
    <section>
      <h2>{say("webhooks.attempts")}</h2>
      {attempts.length === 0 ? (
        <Empty text={say("delivery.none")} />
      ) : (
        <Table
          caption={say("webhooks.attempts")}
          columns={[
            say("delivery.number"),
            say("order.at"),
            say("delivery.took"),
            say("delivery.answer"),
            say("delivery.response"),
          ]}
          rows={attempts.map((one) => ({
            key: String(one.number),
            cells: [
              one.number,
              sayTime(one.startedAt),
              one.durationMs === null ? "" : `${one.durationMs} ms`,
              [one.status, one.fault].filter((word) => word !== null).join(", "),
              <code key="response">{one.responseExcerpt ?? ""}</code>,
            ],
          }))}
        />
      )}
    </section>
  );
}
