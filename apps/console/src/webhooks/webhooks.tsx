import type { WebhookEndpointData, WebhookEndpointWithSecret } from "@exchange/contract";
import { useState } from "preact/hooks";
import { callWhole, type Listed } from "../api.ts";
import type { ScreenProps } from "../route.ts";
import { say } from "../say.ts";
import { SecretDialog } from "../ui/dialogs.tsx";
import { Empty, Loading } from "../ui/loading.tsx";
import { Screen } from "../ui/screen.tsx";
import { useData } from "../ui/use-data.ts";
import { Deliveries } from "./deliveries.tsx";
import { Endpoint } from "./endpoint.tsx";
import { AddEndpoint } from "./endpoint-forms.tsx";

/** The merchant's webhook endpoints with their health, and what was sent to them. */
export function Webhooks({ route, may }: ScreenProps) {
  const loaded = useData(
    "endpoints",
    () => callWhole<Listed<WebhookEndpointData>>("/webhook_endpoints"),
    ["webhooks"],
  );
  const [isAdding, setAdding] = useState(false);
  const [made, setMade] = useState<WebhookEndpointWithSecret>();
  const maysManage = may("webhooks.manage");
  const showSecret = (endpoint: WebhookEndpointWithSecret): void => {
    setAdding(false);
    setMade(endpoint);
    loaded.reload();
  };
  return (
    <Screen
      title={say("nav.webhooks")}
      isLive
      actions={
        maysManage && (
          <button type="button" class="button primary" onClick={() => setAdding(true)}>
            {say("webhooks.add")}
          </button>
        )
      }
    >
      <Loading loaded={loaded}>
        {({ data }) => (
          <>
            {data.length === 0 && <Empty text={say("webhooks.empty")} />}
            {data.map((endpoint) => (
              <Endpoint
                key={endpoint.id}
                endpoint={endpoint}
                isManaged={maysManage}
                onSecret={showSecret}
                onChange={loaded.reload}
              />
            ))}
            <Deliveries filters={route.query} endpoints={data} isManaged={maysManage} />
          </>
        )}
      </Loading>
      {isAdding && <AddEndpoint onAdded={showSecret} onClose={() => setAdding(false)} />}
      {made && (
        <SecretDialog
          title={say("webhooks.secret")}
          text={say("webhooks.secret_text", { url: made.url })}
          secret={made.secret}
          onClose={() => setMade(undefined)}
        />
      )}
    </Screen>
  );
}
