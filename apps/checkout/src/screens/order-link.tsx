import { useState } from "preact/hooks";
import { t } from "../copy/later.ts";
import { isAuthenticating, isBankDeciding } from "../machine/orders.ts";
import type { Ordered } from "../machine/state.ts";
import { onThisDevice, useIsOver } from "../ui/clock.ts";
import { useActions } from "../ui/context.ts";
import { CopyRow } from "../ui/copy-row.tsx";
import { LinkOutIcon } from "../ui/later-icons.tsx";
import { lacksRest } from "./coverage.ts";
import { MailForm } from "./mail-form.tsx";
import { QrCode } from "./qr-code.tsx";

/**
 * Offers the address of the order's own page, as a link and as a QR code: the customer may close the window
 * and finish on another device.
 */
export function OrderLink({ stage }: { readonly stage: Ordered }) {
  const { hosted } = useActions();
  const [isOpen, setOpen] = useState(false);
  const { customerUrl, payment } = stage.order;
  const isOver = useIsOver(onThisDevice(payment.expiresAt));
  if (!customerUrl) return null;
  // The notice of a window that has timed out leads to the page already.
  const isOpenable =
    stage.connection !== "timed_out" &&
    (stage.reopened || stage.isAnswerLate || stage.submission === "unknown");
  return (
    <section class="order-link" aria-labelledby="order-link-title">
      <h2 id="order-link-title">{t("link.title")}</h2>
      <p class="hint">{t(awaitsPayment(stage) && !isOver ? "link.text" : "link.follow")}</p>
      {isOpenable && hosted && <OpenOrderPage stage={stage} />}
      <dl class="lines">
        <CopyRow
          label={t("link.label")}
          value={`${new URL(customerUrl).host}/o/…`}
          copied={customerUrl}
        />
      </dl>
      <MailForm stage={stage} kind="link" />
      <details class="what-if" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{t("link.qr.show")}</summary>
        {isOpen && <QrCode text={customerUrl} label={t("link.qr")} />}
      </details>
    </section>
  );
}

/** Whether the customer may still pay the order, or the rest of it, or confirm its payment. */
const awaitsPayment = ({ order }: Ordered): boolean =>
  ((order.status === "awaiting_payment" || isAuthenticating(order)) && !isBankDeciding(order)) ||
  lacksRest(order);

/** Leads from a checkout that has ended to the order's own page. */
export function OpenOrderPage({ stage }: { readonly stage: Ordered }) {
  const { customerUrl } = stage.order;
  if (!customerUrl) return null;
  return (
    <a class="link link-target" href={customerUrl} target="_blank" rel="noopener noreferrer">
      {t("link.open")}
      <LinkOutIcon />
    </a>
  );
}
