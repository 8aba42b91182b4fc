import { t } from "../copy/later.ts";
import type { Ordered } from "../machine/state.ts";
import { CopyRow } from "../ui/copy-row.tsx";

export const OrderNumber = ({ stage }: { readonly stage: Ordered }) => (
  <dl class="lines">
    <CopyRow label={t("status.orderNumber")} value={String(stage.order.orderId)} />
  </dl>
);
