import type { WebhookEndpointData, WebhookEndpointWithSecret } from "@exchange/contract";
import { useState } from "preact/hooks";
import { call } from "../api.ts";
import { goTo } from "../route.ts";
import { say, sayTime, type WordOf } from "../say.ts";
import { FormDialog } from "../ui/dialogs.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Status } from "../ui/status.tsx";
import { Facts } from "../ui/table.tsx";
import { useAction } from "../ui/use-data.ts";
import { SendAgain } from "./endpoint-forms.tsx";

interface EndpointProps {
  readonly endpoint: WebhookEndpointData;
  readonly isManaged: boolean;
  readonly onSecret: (endpoint: WebhookEndpointWithSecret) => void;
  readonly onChange: () => void;
}

/** One endpoint: where it is, how it does, and what may be done to it. */
export function Endpoint(props: EndpointProps) {
  const { endpoint } = props;
  const { disabledReason, disabledAt, failingSince, pausedUntil, previousSecretUntil } = endpoint;
  return (
    <section class="card">
      <h2 class="long">
        {endpoint.url} <Status word={healthOf(endpoint)} />
      </h2>
      <Facts
        facts={[
          [say("webhooks.events"), endpoint.eventTypes.join(", ")],
          [say("webhooks.failing_since"), failingSince && sayTime(failingSince)],
          [say("webhooks.paused_until"), pausedUntil && sayTime(pausedUntil)],
          [
            say("webhooks.disabled"),
            disabledAt &&
              `${sayTime(disabledAt)}: ${say(`webhooks.by_${disabledReason ?? "operator"}`)}`,
          ],
          [say("webhooks.old_secret"), previousSecretUntil && sayTime(previousSecretUntil)],
          [say("keys.created"), sayTime(endpoint.createdAt)],
        ]}
      />
      {props.isManaged && <Actions {...props} />}
    </section>
  );
}

function healthOf({ enabled, failingSince, pausedUntil }: WebhookEndpointData): WordOf<"status"> {
  if (!enabled) return "disabled";
  if (pausedUntil !== null) return "paused";
  return failingSince === null ? "active" : "failing";
}

/** The dialog that is open. */
type Dialog = "again" | "rotate" | "remove";

function Actions({ endpoint, onSecret, onChange }: EndpointProps) {
  const { isBusy, error, run } = useAction();
  const [dialog, setDialog] = useState<Dialog>();
  const path = `/webhook_endpoints/${endpoint.id}`;
  const change = (body: object) =>
    run(async () => {
      await call(path, { method: "PATCH", body });
      onChange();
    });
  const sendTest = () =>
    run(async () => {
      const place = location.hash;
      const { id } = await call<{ id: string }>(`${path}/test`, { method: "POST", body: {} });
      // The person may have gone elsewhere meanwhile.
      if (location.hash === place) goTo(`webhooks/${id}`);
    });
  const { enabled } = endpoint;
  const test = { "aria-disabled": isBusy || !enabled, onClick: () => enabled && sendTest() };
  return (
    <>
      <ErrorNotice error={error} />
      <div class="actions">
        <button type="button" class="button" {...test}>
          {say("webhooks.test")}
        </button>
        <button
          type="button"
          class="button"
          aria-disabled={isBusy}
          onClick={() => change({ enabled: !enabled })}
        >
          {say(enabled ? "people.disable" : "people.enable")}
        </button>
        {(["again", "rotate", "remove"] as const).map((action) => (
          <button key={action} type="button" class="button" onClick={() => setDialog(action)}>
            {say(`webhooks.${action}`)}
          </button>
        ))}
      </div>
      {dialog === "again" && (
        <SendAgain endpointId={endpoint.id} onClose={() => setDialog(undefined)} />
      )}
      {(dialog === "rotate" || dialog === "remove") && (
        <Confirm
          action={dialog}
          path={path}
          onEnd={(made) => {
            setDialog(undefined);
            if (made) onSecret(made);
            else onChange();
          }}
          onClose={() => setDialog(undefined)}
        />
      )}
    </>
  );
}

/** Asks before a secret is replaced or an endpoint removed. */
function Confirm(props: {
  readonly action: "rotate" | "remove";
  readonly path: string;
  readonly onEnd: (made?: WebhookEndpointWithSecret) => void;
  readonly onClose: () => void;
}) {
  const { action, path, onEnd } = props;
  const { isBusy, error, run } = useAction();
  const confirm = (event: SubmitEvent) => {
    event.preventDefault();
    run(async () => {
      if (action === "rotate") {
        const rotate = { method: "POST", body: {} } as const;
        return onEnd(await call<WebhookEndpointWithSecret>(`${path}/rotate_secret`, rotate));
      }
      await call(path, { method: "DELETE" });
      onEnd();
    });
  };
  return (
    <FormDialog
      title={say(`webhooks.${action}`)}
      text={say(`webhooks.${action}_text`)}
      submit={say(`webhooks.${action}`)}
      tone={action === "remove" ? "danger" : "primary"}
      isBusy={isBusy}
      error={error}
      onSubmit={confirm}
      onClose={props.onClose}
    />
  );
}
