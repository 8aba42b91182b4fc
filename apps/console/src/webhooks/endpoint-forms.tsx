import type { ReplayRangeResult, WebhookEndpointWithSecret } from "@exchange/contract";
import { useState } from "preact/hooks";
import { call } from "../api.ts";
import { say } from "../say.ts";
import { Dialog, FormDialog } from "../ui/dialogs.tsx";
import { Field, Select } from "../ui/fields.tsx";
import { readForm } from "../ui/form.ts";
import { useAction } from "../ui/use-data.ts";

export const EVENTS = [
  "OrderCreated",
  "OrderFulfillment",
  "OrderUpdated",
  "OrderRefunded",
] as const;
/** The events that the interface documents, which an endpoint receives by default. */
const USUAL: readonly string[] = ["OrderCreated", "OrderFulfillment"];

export function AddEndpoint(props: {
  readonly onAdded: (endpoint: WebhookEndpointWithSecret) => void;
  readonly onClose: () => void;
}) {
  const { isBusy, error, run } = useAction();
  const add = (event: SubmitEvent) => {
    const url = readForm(event)("url");
    const eventTypes = new FormData(event.currentTarget as HTMLFormElement).getAll("event");
    const body = { url, eventTypes };
    run(async () =>
      props.onAdded(
        await call<WebhookEndpointWithSecret>("/webhook_endpoints", { method: "POST", body }),
      ),
    );
  };
  return (
    <FormDialog
      title={say("webhooks.add")}
      submit={say("webhooks.add")}
      isBusy={isBusy}
      error={error}
      onSubmit={add}
      onClose={props.onClose}
    >
      <Field label={say("webhooks.url")} hint={say("webhooks.url_hint")} name="url" required />
      <fieldset>
        <legend>{say("webhooks.events")}</legend>
        {EVENTS.map((type) => (
          <label key={type} class="choice">
            <input
              type="checkbox"
              name="event"
              value={type}
              defaultChecked={USUAL.includes(type)}
            />
            <span>{type}</span>
          </label>
        ))}
      </fieldset>
    </FormDialog>
  );
}

const DAYS = ["1", "7", "30", "90"] as const;

/** Counts the deliveries of the last days, and sends them when the person agrees to the number. */
export function SendAgain(props: { readonly endpointId: string; readonly onClose: () => void }) {
  const { isBusy, error, run } = useAction();
  const [days, setDays] = useState<string>("1");
  const [include, setInclude] = useState("undelivered");
  const [counted, setCounted] = useState<ReplayRangeResult>();
  const choose = (set: (value: string) => void) => (value: string) => {
    set(value);
    setCounted(undefined);
  };
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    const createdFrom = Math.floor(Date.now() / 1_000) - Number(days) * 86_400;
    const dryRun = counted === undefined;
    const body = { endpointId: props.endpointId, createdFrom, include, dryRun };
    run(async () =>
      setCounted(
        await call<ReplayRangeResult>("/webhook_deliveries/replay", { method: "POST", body }),
      ),
    );
  };
  if (counted && !counted.dryRun) {
    return (
      <Dialog title={say("webhooks.again")} close={say("common.close")} onClose={props.onClose}>
        <p role="status">{say("webhooks.sent", { count: counted.replayed })}</p>
      </Dialog>
    );
  }
  return (
    <FormDialog
      title={say("webhooks.again")}
      text={say("webhooks.again_text")}
      submit={counted ? sayCount(counted) : say("webhooks.count")}
      isBusy={isBusy}
      error={error}
      onSubmit={send}
      onClose={props.onClose}
    >
      <Select
        label={say("webhooks.since")}
        name="days"
        value={days}
        options={DAYS.map((count) => [count, say(`webhooks.days_${count}`)])}
        onChoose={choose(setDays)}
      />
      <Select
        label={say("webhooks.which")}
        name="include"
        value={include}
        options={[
          ["undelivered", say("webhooks.undelivered")],
          ["all", say("webhooks.all")],
        ]}
        onChoose={choose(setInclude)}
      />
    </FormDialog>
  );
}

const sayCount = ({ matched }: ReplayRangeResult): string =>
  say("webhooks.send_count", { count: matched });
