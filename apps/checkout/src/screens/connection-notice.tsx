import { t } from "../copy/later.ts";
import type { Ordered } from "../machine/state.ts";
import { Notice } from "../ui/parts.tsx";

/** That what is shown may be old, while it may be. */
export function ConnectionNotice({ stage }: { readonly stage: Ordered }) {
  if (stage.connection === "fine") return null;
  return (
    <Notice tone="warning">
      <p>{t(stage.connection === "lost" ? "status.lost" : "status.timedOut")}</p>
    </Notice>
  );
}
