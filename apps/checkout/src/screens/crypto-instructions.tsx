import type { PaymentInstructions } from "@exchange/contract";
import { decimalOf, formatAmount, formatPlain } from "../amounts/format.ts";
import { orders } from "../copy/orders.ts";
import { useSecondsUntil } from "../ui/clock.ts";
import { ClockIcon } from "../ui/icons.tsx";
import { CopyRow, Notice } from "../ui/parts.tsx";
import { Screen } from "../ui/screen.tsx";
import type { InstructionsProps } from "./bank-instructions.tsx";
import { CancelOrder, LeaveButton } from "./cancel-order.tsx";
import { ConnectionNotice } from "./connection-notice.tsx";
import { Deposits } from "./deposits.tsx";
import { OrderNumber } from "./order-number.tsx";
import { QrCode } from "./qr-code.tsx";
import { RefundForm } from "./refund-form.tsx";
import { SimulateHint } from "./simulate-hint.tsx";
import { WhatIf } from "./what-if.tsx";

const words = orders.instructions.crypto;

/** The address to send coins to, as a code to scan and as text, for as long as the rate holds. */
export function CryptoInstructions({ stage, instructions }: InstructionsProps) {
  const coin = instructions.currencyCode;
  const amount = formatAmount(instructions, "crypto", stage.locale);
  const network = instructions.networkName ?? coin;
  return (
    <Screen title={words.title(coin)} shop={stage.session.merchant.name}>
      <p class="lead">{words.lead(amount, network)}</p>
      <TimeLeft instructions={instructions} />
      <QrCode
        text={instructions.paymentUri ?? instructions.walletAddress ?? ""}
        label={words.qr(coin)}
      />
      <DepositLines stage={stage} instructions={instructions} />
      <Notice tone="warning">
        <p>{words.only(coin, network)}</p>
        <p>{words.fee}</p>
      </Notice>
      <Deposits stage={stage} />
      <p class="hint">{words.after}</p>
      <WhatIf title={words.whatIf} answers={[words.less, words.more, words.late]} />
      <RefundForm stage={stage} />
      <ConnectionNotice stage={stage} />
      <SimulateHint stage={stage} />
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
          <h2>{words.memoTitle}</h2>
          <p>{words.memoText}</p>
        </Notice>
      )}
      <dl class="lines pay-lines" aria-label={orders.instructions.details}>
        <CopyRow
          label={words.amount}
          value={formatAmount(instructions, "crypto", stage.locale)}
          copied={plain}
        />
        {walletAddress && <CopyRow label={words.address} value={walletAddress} />}
        {memo && <CopyRow label={words.memo} value={memo} />}
      </dl>
    </>
  );
}

function TimeLeft({ instructions }: { readonly instructions: PaymentInstructions }) {
  const seconds = useSecondsUntil(instructions.expiresAt * 1_000);
  return (
    <p class="held hint">
      <ClockIcon />
      {seconds > 0 ? words.left(inWords(seconds)) : words.over}
    </p>
  );
}

/** "14:05", with hours and days only where there are some. */
function inWords(seconds: number): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  const hours = Math.floor(seconds / 3_600);
  const rest = `${two(Math.floor((seconds % 3_600) / 60))}:${two(seconds % 60)}`;
  return hours > 0 ? `${hours}:${rest}` : rest;
}
