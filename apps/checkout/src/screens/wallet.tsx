import { t } from "../copy/later.ts";
import type { Choosing } from "../machine/state.ts";
import { progressOf, sendsCrypto } from "../machine/steps.ts";
import { useDispatch } from "../ui/context.ts";
import { ErrorSummary, useFormErrors } from "../ui/form.tsx";
import { MainButton, Notice } from "../ui/parts.tsx";
import { Screen } from "../ui/screen.tsx";
import { AddressFields, networkFor } from "./address-field.tsx";
import { DealStrip } from "./deal-strip.tsx";
import { RefundFields } from "./refund-field.tsx";
import { useRefusedFocus } from "./refused-focus.ts";
import { useBack } from "./use-back.ts";
import { addressChecks, isOnlyUnchecked } from "./wallet-checks.ts";

/** Asks for the wallet address. */
export function WalletScreen({ stage }: { readonly stage: Choosing }) {
  const dispatch = useDispatch("choosing");
  const { world, receive } = stage;
  const checks = addressChecks(stage);
  const form = useFormErrors(checks);
  const wrong = checks.filter(({ error }) => error);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (form.submit() || isOnlyUnchecked(stage, wrong)) dispatch({ type: "advanced" });
  };
  useRefusedFocus(stage);
  const hasNetwork = stage.wallet.networkCode !== undefined || Boolean(receive.networkName);
  return (
    <Screen
      title={t("wallet.title", { coin: receive.code })}
      shop={world.session.merchant.name}
      step={progressOf(stage)}
      onBack={useBack(stage)}
    >
      <DealStrip stage={stage} />
      <form noValidate onSubmit={submit}>
        <ErrorSummary errors={form.summary} />
        <AddressFields stage={stage} form={form} use="wallet" />
        <Notice tone="warning">
          <p>
            {hasNetwork
              ? t("wallet.warning", { network: networkFor(stage, "wallet") })
              : t("wallet.warning.any", { coin: receive.code })}
          </p>
        </Notice>
        {sendsCrypto(world.operation) && <RefundFields stage={stage} form={form} />}
        <div class="actions">
          <MainButton busy={stage.continuePending}>{t("continue")}</MainButton>
        </div>
      </form>
    </Screen>
  );
}
