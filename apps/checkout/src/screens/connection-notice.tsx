import { orders } from "../copy/orders.ts";
import type { Ordered } from "../machine/state.ts";
import { Notice } from "../ui/parts.tsx";

/** That what is shown may be old, while it may be. */
export function ConnectionNotice({ stage }: { readonly stage: Ordered }) {
  if (stage.connection === "fine") return null;
  const { lost, timedOut } = orders.status;
  return (
    <Notice tone="warning">
      <p>{stage.connection === "lost" ? lost : timedOut(stage.session.merchant.name)}</p>
    </Notice>
  );
}
