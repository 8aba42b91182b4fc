import type { DeliveryMethodItem } from "@exchange/contract";
import { formatAmount } from "../amounts/format.ts";
import { operationSteps } from "../copy/operation-steps.ts";
import { daysInWords, steps } from "../copy/steps.ts";
import type { Choosing } from "../machine/state.ts";
import { deliveriesFor } from "../machine/ways.ts";
import { useActions } from "../ui/context.ts";
import { BankIcon, CardIcon, CashIcon, PhoneIcon } from "../ui/icons.tsx";
import { daysOf } from "../ui/words.ts";
import { Choice, ChoiceForm } from "./choice-form.tsx";

const words = steps.delivery;

const ICONS: Readonly<Record<string, typeof CardIcon>> = {
  card_push: CardIcon,
  cash_pickup: CashIcon,
  mobile_money: PhoneIcon,
};

/** How fiat reaches whoever gets it. */
export function DeliveryScreen({ stage }: { readonly stage: Choosing }) {
  const { dispatch } = useActions();
  const { world } = stage;
  return (
    <ChoiceForm
      stage={stage}
      title={operationSteps(world.operation).deliveryTitle}
      legend={words.legend}
    >
      {deliveriesFor(stage).map((delivery) => {
        const Icon = ICONS[delivery.type] ?? BankIcon;
        return (
          <Choice
            key={delivery.id}
            group="delivery"
            name={delivery.name}
            hints={[words.kinds[delivery.type], timeOf(delivery), feeOf(delivery, world.locale)]}
            checked={delivery.id === stage.delivery?.id}
            icon={<Icon />}
            onPick={() => dispatch({ type: "deliveryPicked", delivery })}
          />
        );
      })}
    </ChoiceForm>
  );
}

function timeOf({ time }: DeliveryMethodItem): string | undefined {
  if (time.maxDays === 0) return words.soon;
  const days = daysOf(time);
  return days && words.time(daysInWords(...days));
}

function feeOf({ fee }: DeliveryMethodItem, locale: string): string {
  const { percent, fixed, currencyCode } = fee;
  const part = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 2 });
  const share = part.format(percent / 100);
  const rest = formatAmount({ amount: fixed, currencyCode }, "fiat", locale);
  if (percent === 0) return fixed === 0 ? words.free : words.fee(rest);
  return words.fee(fixed === 0 ? share : words.percentAndFixed(share, rest));
}
