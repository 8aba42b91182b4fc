import { useEffect } from "preact/hooks";
import { t } from "../copy/later.ts";
import type { Ordered } from "../machine/state.ts";
import { useActions } from "../ui/context.ts";
import { Notice } from "../ui/parts.tsx";
import { OpenOrderPage } from "./order-link.tsx";

/** Says that the screen may be out of date while the connection is lost. */
export function ConnectionNotice({ stage }: { readonly stage: Ordered }) {
  const { announce, hosted } = useActions();
  const { connection } = stage;
  const isFine = connection === "fine";
  const text = isFine ? "" : t(connection === "lost" ? "status.lost" : "status.timedOut");
  useEffect(() => {
    if (text !== "") announce(text);
  }, [text]);
  if (isFine) return null;
  return (
    <Notice tone="warning">
      <p>{text}</p>
      {connection === "timed_out" && hosted && <OpenOrderPage stage={stage} />}
    </Notice>
  );
}
