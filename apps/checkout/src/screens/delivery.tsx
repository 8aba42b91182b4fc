import type { DeliveryMethodItem } from "@exchange/contract";
import { formatAmount } from "../amounts/format.ts";
import { named, t, tIfKnown } from "../copy/later.ts";
import type { Choosing } from "../machine/state.ts";
import { deliveriesFor } from "../machine/ways.ts";
import { useDispatch } from "../ui/context.ts";
import { BankIcon, CardIcon, CashIcon, PhoneIcon } from "../ui/icons.tsx";
import { daysOf } from "../ui/words.ts";
import { Choice, ChoiceForm } from "./choice-form.tsx";

const ICONS: Readonly<Record<string, typeof CardIcon>> = {
  card_push: CardIcon,
  cash_pickup: CashIcon,
  mobile_money: PhoneIcon,
};

/** The choice of a payout method. */
export function DeliveryScreen({ stage }: { readonly stage: Choosing }) {
  const dispatch = useDispatch("choosing");
  const { world } = stage;
  return (
    <ChoiceForm
      stage={stage}
      title={t(world.operation === "FF" ? "delivery.title.FF" : "delivery.title")}
      legend={t("delivery.legend")}
    >
      {deliveriesFor(stage).map((delivery) => {
        const Icon = ICONS[delivery.type] ?? BankIcon;
        return (
          <Choice
            key={delivery.id}
            group="delivery"
            name={named(delivery.name)}
            hints={[
              tIfKnown(`delivery.kind.${delivery.type}`),
              timeOf(delivery, world.locale),
              feeOf(delivery, world.locale),
            ]}
            checked={delivery.id === stage.delivery?.id}
            icon={<Icon />}
            onPick={() => dispatch({ type: "deliveryPicked", delivery })}
          />
        );
      })}
    </ChoiceForm>
  );
}

function timeOf({ time }: DeliveryMethodItem, locale: string): string | undefined {
  if (time.maxDays === 0) return t("delivery.soon");
  const days = daysOf(time, locale);
  return days && t(`delivery.${days.kind}`, days);
}

function feeOf({ fee }: DeliveryMethodItem, locale: string): string {
  const { percent, fixed, currencyCode } = fee;
  const part = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 2 });
  const share = part.format(percent / 100);
  const rest = formatAmount({ amount: fixed, currencyCode }, "fiat", locale);
  if (percent === 0) return fixed === 0 ? t("delivery.fee.none") : t("delivery.fee", { fee: rest });
  if (fixed === 0) return t("delivery.fee", { fee: share });
  return t("delivery.fee.both", { percent: share, fixed: rest });
}
