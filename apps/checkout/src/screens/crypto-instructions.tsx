import { decimalOf, formatAmount, formatPlain } from "../amounts/format.ts";
import { formatClock, formatMoment } from "../amounts/moment.ts";
import { t } from "../copy/later.ts";
import { onThisDevice, useSecondsUntil } from "../ui/clock.ts";
import { CopyRow } from "../ui/copy-row.tsx";
import { ClockIcon } from "../ui/icons.tsx";
import { Notice } from "../ui/parts.tsx";
import { Screen } from "../ui/screen.tsx";
import type { InstructionsProps } from "./bank-instructions.tsx";
import { CancelOrder, LeaveButton } from "./cancel-order.tsx";
import { ConnectionNotice } from "./connection-notice.tsx";
import { Deposits } from "./deposits.tsx";
import { OrderLink } from "./order-link.tsx";
import { OrderNumber } from "./order-number.tsx";
import { QrCode } from "./qr-code.tsx";
import { RefundForm } from "./refund-form.tsx";
import { SimulatePayment } from "./simulate-payment.tsx";
import { WhatIf } from "./what-if.tsx";

/** The deposit address as a QR code and as text, with the time that the rate is held for. */
export function CryptoInstructions({ stage, instructions }: InstructionsProps) {
  const coin = instructions.currencyCode;
  const amount = formatAmount(instructions, "crypto", stage.locale);
  const network = instructions.networkName ?? coin;
  return (
    <Screen title={t("crypto.title", { coin })} shop={stage.session.merchant.name}>
      <p class="lead">{t("crypto.lead", { amount, network })}</p>
      <ConnectionNotice stage={stage} />
      <TimeLeft stage={stage} instructions={instructions} />
      <OpenInWallet uri={instructions.paymentUri} />
      <QrCode
        text={instructions.paymentUri ?? instructions.walletAddress ?? ""}
        label={t("crypto.qr", { coin })}
      />
      <DepositLines stage={stage} instructions={instructions} />
      <Notice tone="warning">
        <p>{t("crypto.only", { coin, network })}</p>
        <p>{t("crypto.fee")}</p>
      </Notice>
      <Deposits stage={stage} />
      <p class="hint">{t("crypto.after")}</p>
      <OrderLink stage={stage} />
      <WhatIf of="crypto" />
      <RefundForm stage={stage} />
      <SimulatePayment stage={stage} />
      <OrderNumber stage={stage} />
      <LeaveButton stage={stage} />
      <CancelOrder stage={stage} />
    </Screen>
  );
}

/** Amount, address and memo, each with a button that copies it. */
export function DepositLines({ stage, instructions }: InstructionsProps) {
  const { amount, walletAddress, memo } = instructions;
  const plain = formatPlain(decimalOf(amount), 8, "en-US").replaceAll(",", "");
  return (
    <>
      {memo && (
        <Notice tone="warning">
          <h2>{t("crypto.memo.title")}</h2>
          <p>{t("crypto.memo.text")}</p>
        </Notice>
      )}
      <dl class="lines pay-lines" aria-label={t("instructions.details")}>
        <CopyRow
          label={t("instructions.amount")}
          value={formatAmount(instructions, "crypto", stage.locale)}
          copied={plain}
        />
        {walletAddress && <CopyRow label={t("crypto.address")} value={walletAddress} />}
        {memo && <CopyRow label={t("crypto.memo")} value={memo} />}
      </dl>
    </>
  );
}

/**
 * A phone cannot scan its own screen, so there the link comes before the QR code. An address without a scheme opens
 * nothing.
 */
function OpenInWallet({ uri }: { readonly uri: string | null }) {
  if (!uri || !/^[a-z][a-z0-9+.-]*:/i.test(uri)) return null;
  return (
    <a class="main-button only-touch" href={uri}>
      {t("crypto.openWallet")}
    </a>
  );
}

/** The time for which the rate is held, never more than the whole window, and its end. */
export function TimeLeft({ stage, instructions }: InstructionsProps) {
  const { locale, order } = stage;
  const { expiresAt } = instructions;
  const wholeMinutes = Math.floor((expiresAt - order.createdAt) / 60);
  const seconds = Math.min(
    useSecondsUntil(onThisDevice(expiresAt)),
    Math.max(1, wholeMinutes) * 60,
  );
  const left = { time: formatClock(seconds, locale), when: formatMoment(expiresAt, locale) };
  return (
    <p class="held hint">
      <ClockIcon />
      {t("crypto.left", left)}
    </p>
  );
}
