import { t } from "../copy/later.ts";
import type { Ordered } from "../machine/state.ts";
import { LinkOutIcon } from "../ui/icons.tsx";
import { CopyRow } from "../ui/parts.tsx";

/** The sandbox's panel: shows a shop's developer how to simulate this payment. */
export function SimulateHint({ stage }: { readonly stage: Ordered }) {
  if (stage.session.environment === "prod") return null;
  return (
    <section class="test-cards" aria-labelledby="simulate-title">
      <h2 id="simulate-title">{t("instructions.simulate.title")}</h2>
      <p class="hint">{t("instructions.simulate")}</p>
      <dl class="lines">
        <CopyRow
          label="POST /v1/sandbox/deposits"
          value={JSON.stringify({ orderId: stage.order.orderId })}
        />
      </dl>
      <a class="link link-target" href="/docs" target="_blank" rel="noopener noreferrer">
        {t("instructions.simulate.docs")}
        <LinkOutIcon />
      </a>
    </section>
  );
}
