import type { PaymentInstructions } from "@exchange/contract";
import { formatAmount } from "../amounts/format.ts";
import { groupByFour, passesIbanCheck } from "../amounts/iban.ts";
import { formatMoment } from "../amounts/moment.ts";
import { named, t } from "../copy/later.ts";
import type { Ordered } from "../machine/state.ts";
import { CopyRow } from "../ui/copy-row.tsx";
import { Notice } from "../ui/parts.tsx";
import { Screen } from "../ui/screen.tsx";
import { CancelOrder, LeaveButton } from "./cancel-order.tsx";
import { ConnectionNotice } from "./connection-notice.tsx";
import { Deposits } from "./deposits.tsx";
import { OrderLink } from "./order-link.tsx";
import { OrderNumber } from "./order-number.tsx";
import { SimulatePayment } from "./simulate-payment.tsx";
import { WhatIf } from "./what-if.tsx";

export interface InstructionsProps {
  readonly stage: Ordered;
  readonly instructions: PaymentInstructions;
}

/** The account to transfer to. Each line has a copy button. */
export function BankInstructions({ stage, instructions }: InstructionsProps) {
  const amount = formatAmount(instructions, "fiat", stage.locale);
  return (
    <Screen title={t("bank.title", { amount })} shop={stage.session.merchant.name}>
      <p class="lead">{t("bank.lead")}</p>
      <ConnectionNotice stage={stage} />
      <AccountLines stage={stage} instructions={instructions} />
      <Notice>
        <PayBy stage={stage} instructions={instructions} />
        <p>{t("bank.after")}</p>
      </Notice>
      <OrderLink stage={stage} />
      <Deposits stage={stage} />
      <WhatIf of="bank" />
      <SimulatePayment stage={stage} />
      <OrderNumber stage={stage} />
      <LeaveButton stage={stage} />
      <CancelOrder stage={stage} />
    </Screen>
  );
}

/** The time by which a transfer must arrive. */
export const PayBy = ({ stage, instructions }: InstructionsProps) => (
  <p>{t("bank.deadline", { when: formatMoment(instructions.expiresAt, stage.locale) })}</p>
);

/** Amount, account and reference. */
export function AccountLines({ stage, instructions }: InstructionsProps) {
  const { amount, account, reference } = instructions;
  const printed = formatAmount(instructions, "fiat", stage.locale);
  return (
    <dl class="lines pay-lines" aria-label={t("instructions.details")}>
      <CopyRow label={t("instructions.amount")} value={printed} copied={String(amount)} />
      {account.map(({ label, value }) => (
        <CopyRow key={label} label={named(label)} value={grouped(value)} copied={value} />
      ))}
      {reference && (
        <CopyRow label={t("bank.reference")} value={reference}>
          <span class="hint">{t("bank.reference.hint")}</span>
        </CopyRow>
      )}
    </dl>
  );
}

/** An IBAN is read in groups of four, as people type it. */
const grouped = (value: string): string => {
  const plain = value.replaceAll(" ", "");
  return passesIbanCheck(plain) ? groupByFour(plain) : value;
};
