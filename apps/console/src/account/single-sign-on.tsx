import type { OwnIdentity } from "@exchange/contract/admin";
import { call } from "../api.ts";
import { say, sayTime } from "../say.ts";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Loading } from "../ui/loading.tsx";
import { useAction, useData } from "../ui/use-data.ts";
import { goToProvider } from "./provider.tsx";

/** The person's account of the identity provider: linking and unlinking. */
export function SingleSignOn() {
  const loaded = useData("identity", () => call<OwnIdentity>("/me/identity"));
  const { isBusy, error, run } = useAction();
  const unlink = () =>
    run(async () => {
      await call("/me/identity", { method: "DELETE" });
      loaded.reload();
    });
  const { providerName: name = null, linked = null } = loaded.data ?? {};
  if (loaded.data && name === null && linked === null) return null;
  return (
    <section>
      <h2>{say("account.provider")}</h2>
      <ErrorNotice error={error} />
      <Loading loaded={loaded}>
        {() => (
          <>
            {linked && <Linked linked={linked} isBusy={isBusy} onUnlink={unlink} />}
            {name === null && <p class="muted">{say("account.provider_off")}</p>}
            {name !== null && linked === null && (
              <button
                type="button"
                class="button"
                aria-disabled={isBusy}
                onClick={() => run(() => goToProvider({ begin: "/me/identity/provider_address" }))}
              >
                {say("account.link", { name })}
              </button>
            )}
          </>
        )}
      </Loading>
    </section>
  );
}

function Linked(props: {
  readonly linked: NonNullable<OwnIdentity["linked"]>;
  readonly isBusy: boolean;
  readonly onUnlink: () => void;
}) {
  const { issuer, label, linkedAt, lastUsedAt } = props.linked;
  return (
    <ul class="list">
      <li class="row">
        <span>
          <strong>{issuer}</strong>
          <span class="muted">
            {say("account.linked", { label: label ?? issuer, time: sayTime(linkedAt) })}{" "}
            {lastUsedAt === null
              ? say("account.never_used")
              : say("account.last_used", { time: sayTime(lastUsedAt) })}
          </span>
        </span>
        <button type="button" class="button" aria-disabled={props.isBusy} onClick={props.onUnlink}>
          {say("account.unlink")}
        </button>
      </li>
    </ul>
  );
}
