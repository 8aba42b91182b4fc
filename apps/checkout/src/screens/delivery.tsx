import type { DeliveryMethodItem } from "@exchange/contract";
import { daysOf } from "../amounts/moment.ts";
import { named, t, tIfKnown } from "../copy/later.ts";
import type { Choosing } from "../machine/state.ts";
import { deliveriesFor } from "../machine/ways.ts";
import { useDispatch } from "../ui/context.ts";
import { BankIcon, CardIcon, CashIcon, PhoneIcon } from "../ui/icons.tsx";
import { compareMethods } from "./alternatives.ts";
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
  const deliveries = deliveriesFor(stage);
  const compared = compareMethods(stage, (each) => each.deliveryMethodId, deliveries);
  return (
    <ChoiceForm
      stage={stage}
      title={t(world.operation === "FF" ? "delivery.title.FF" : "delivery.title")}
      legend={t("delivery.legend")}
    >
      {deliveries.map((delivery) => {
        const Icon = ICONS[delivery.type] ?? BankIcon;
        return (
          <Choice
            key={delivery.id}
            group="delivery"
            name={named(delivery.name)}
            hints={[
              tIfKnown(`delivery.kind.${delivery.type}`),
              timeOf(delivery, world.locale),
              feeOf(delivery, compared.deliveryFeeOf(delivery.id)),
            ]}
            result={compared.resultOf(delivery.id)}
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

/** Returns the fee in the currency received, once the methods are compared. */
function feeOf({ fee }: DeliveryMethodItem, exact: string | undefined): string | undefined {
  if (fee.percent === 0 && fee.fixed === 0) return t("delivery.fee.none");
  return exact && t("delivery.fee", { fee: exact });
}
