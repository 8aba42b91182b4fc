import { groupByFour, passesIbanCheck } from "../amounts/iban.ts";
import { BRANDS, brandOf, digitsOf } from "../card/brand.ts";
import { named, t } from "../copy/later.ts";
import { payoutFields, tidyPayout } from "../machine/payout.ts";
import type { AddressUse, Choosing } from "../machine/state.ts";
import {
  coinFor,
  kindOfMethod,
  paysOnReview,
  receivesCrypto,
  sendsCrypto,
} from "../machine/steps.ts";
import { shorten } from "../ui/words.ts";
import { Line } from "./price-lines.tsx";

/** The destination, the refund address and the payment method of the order. */
export const ReviewDetails = ({ stage }: { readonly stage: Choosing }) => (
  <dl class="lines">
    {receivesCrypto(stage.world.operation) ? (
      <Address stage={stage} use="wallet" label={t("review.to")} />
    ) : (
      <Payout stage={stage} />
    )}
    {sendsCrypto(stage.world.operation) && stage.refund.address !== "" && (
      <Address stage={stage} use="refund" label={t("review.refundTo")} />
    )}
    {!sendsCrypto(stage.world.operation) && !paysOnReview(stage) && <PaidWith stage={stage} />}
  </dl>
);

interface AddressProps {
  readonly stage: Choosing;
  readonly use: AddressUse;
  readonly label: string;
}

function Address({ stage, use, label }: AddressProps) {
  const { address, memo, withoutMemo } = stage[use];
  return (
    <>
      <div class="row">
        <dt>{label}</dt>
        <dd>
          <span class="mono" dir="ltr" title={address}>
            {shorten(address)}
          </span>
        </dd>
      </div>
      {memo.trim() !== "" && coinFor(stage, use).memo !== "none" && (
        <Line label={t("wallet.memo")} value={memo.trim()} />
      )}
      {withoutMemo && coinFor(stage, use).memo !== "none" && (
        <Line label={t("wallet.memo")} value={t("review.noMemo")} />
      )}
    </>
  );
}

/** The payout account in full: a mistake cannot be corrected later. */
function Payout({ stage }: { readonly stage: Choosing }) {
  const { token } = stage.payoutCard;
  return (
    <>
      {payoutFields(stage).map((field) => {
        const value = tidyPayout(field, stage.payout[field.name] ?? "");
        const printed = passesIbanCheck(value) ? groupByFour(value) : value;
        return <Line key={field.name} label={named(field.label)} value={printed} />;
      })}
      {token && <Line label={t("review.to")} value={t("card.ending", token)} />}
    </>
  );
}

function PaidWith({ stage }: { readonly stage: Choosing }) {
  const digits = digitsOf(stage.card.number);
  const brand = brandOf(digits);
  const byCard = kindOfMethod(stage.method) === "card";
  const card = t("card.ending", {
    brand: brand ? BRANDS[brand].name : named(stage.method.name),
    lastFour: digits.slice(-4),
  });
  return (
    <>
      <Line label={t("review.payWith")} value={byCard ? card : named(stage.method.name)} />
      <Line label={t("card.frequency")} value={t("card.oneTime")} />
    </>
  );
}
