import type { DeliveryMethodItem } from "@exchange/contract";
import type { ComponentChildren } from "preact";
import { named, t, tIfKnown } from "../copy/later.ts";
import type { Choosing } from "../machine/state.ts";
import { deliveriesFor } from "../machine/ways.ts";
import { useDispatch } from "../ui/context.ts";
import { BankIcon, CardIcon, CashIcon, PhoneIcon } from "../ui/later-icons.tsx";
import { type Comparison, compareMethods } from "./alternatives.ts";
import { Choice, ChoiceForm } from "./choice-form.tsx";
import { timeOf } from "./method.tsx";

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
              timeOf(delivery, world.locale, "delivery.soon"),
              feeOf(delivery, compared),
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

/** Returns the fee in the currency received. Its line keeps its room while the methods are compared. */
function feeOf({ id, fee }: DeliveryMethodItem, compared: Comparison): ComponentChildren {
  if (fee.percent === 0 && fee.fixed === 0) return t("delivery.fee.none");
  if (compared.isPending)
    return <span class="choice-pending">{t("delivery.fee", { fee: "" })}</span>;
  const exact = compared.deliveryFeeOf(id);
  return exact && t("delivery.fee", { fee: exact });
}
