import { formatAmount } from "../amounts/format.ts";
import { t } from "../copy/later.ts";
import { mayNameRefundAddress } from "../machine/orders.ts";
import type { Ordered } from "../machine/state.ts";
import { useDispatch } from "../ui/context.ts";
import { MainButton, Notice } from "../ui/parts.tsx";
import { kindOn } from "../ui/words.ts";
import { Line } from "./price-lines.tsx";
import { useReadable } from "./use-readable.ts";

/** Returns the new price that the customer may answer, if there is one. */
export const openPrice = ({ price, connection }: Ordered): Ordered["price"] =>
  connection === "timed_out" ? undefined : price;

/** Shows the promised amount and the present one, and asks the customer to accept it or to take the money back. */
export function NewPrice({ stage }: { readonly stage: Ordered }) {
  const dispatch = useDispatch("price");
  const { order, locale } = stage;
  const price = openPrice(stage);
  const isReadable = useReadable(String(price?.offer?.receive.amount));
  if (!price) return null;
  const kind = kindOn(order.operationType, "receive");
  const now = price.offer && formatAmount(price.offer.receive, kind, locale);
  const isSent = price.status === "sent";
  const isBusy = isSent || !price.offer || !isReadable;
  return (
    <>
      <dl class="lines">
        <Line label={t("price.ordered")} value={formatAmount(order.quote.receive, kind, locale)} />
        <Line label={t("price.now")} value={now ?? "…"} strong />
      </dl>
      {price.status === "failed" && (
        <Notice tone="warning">
          <p>{t("price.failed")}</p>
        </Notice>
      )}
      <div class="leave-actions">
        {price.status === "failed" ? (
          <MainButton onClick={() => dispatch({ type: "offerDue", offer: undefined })}>
            {t("price.again")}
          </MainButton>
        ) : (
          <MainButton busy={isBusy} onClick={() => isBusy || dispatch({ type: "acceptPressed" })}>
            {t("price.accept")}
          </MainButton>
        )}
        {(order.refundAddress || !mayNameRefundAddress(order)) && (
          <button
            type="button"
            class="second-button wide"
            aria-disabled={isSent || undefined}
            onClick={() => dispatch({ type: "declinePressed" })}
          >
            {t("price.decline")}
          </button>
        )}
      </div>
    </>
  );
}
