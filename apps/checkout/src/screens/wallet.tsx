import { useEffect } from "preact/hooks";
import { en } from "../copy/en.ts";
import { operationCopy } from "../copy/operations.ts";
import { locksOf } from "../machine/locks.ts";
import { STEPS } from "../machine/reduce-choosing.ts";
import type { Choosing } from "../machine/state.ts";
import { useActions } from "../ui/context.ts";
import { describedBy, Field, FieldError, TextField } from "../ui/field.tsx";
import { ErrorSummary, type FormErrors, useFormErrors } from "../ui/form.tsx";
import { CheckIcon, LockIcon } from "../ui/icons.tsx";
import { MainButton, Notice } from "../ui/parts.tsx";
import { Screen } from "../ui/screen.tsx";
import { nameOfNetwork, networkName } from "../ui/words.ts";
import { DealStrip } from "./deal-strip.tsx";
import { walletChecks, walletFaultText } from "./wallet-checks.ts";

/** Where the coins go. */
export function WalletScreen({ stage }: { readonly stage: Choosing }) {
  const { dispatch } = useActions();
  const { world, receive, wallet } = stage;
  const form = useFormErrors(walletChecks(stage));
  const copy = operationCopy(world.operation);
  const unchecked = wallet.fault?.kind === "unreachable";
  const submit = (event: Event): void => {
    event.preventDefault();
    // An address that could not be checked is not wrong: Continue asks again.
    if (form.submit() || unchecked) dispatch({ type: "advanced" });
  };
  useEffect(() => {
    const { activeElement, body } = document;
    const idle = activeElement === body || activeElement?.classList.contains("main-button");
    if (wallet.check === "refused" && idle) document.getElementById("wallet-address")?.focus();
  }, [wallet.check]);
  const network = wallet.networkCode
    ? nameOfNetwork(world.receiveCurrencies, wallet.networkCode)
    : networkName(receive);
  return (
    <Screen
      title={copy.walletTitle(receive.code)}
      shop={world.session.merchant.name}
      step={{ number: 3, total: STEPS.length }}
      onBack={() => dispatch({ type: "wentBack" })}
    >
      <DealStrip stage={stage} />
      <form noValidate onSubmit={submit}>
        <ErrorSummary errors={form.summary} />
        <AddressField stage={stage} form={form} network={network} />
        {wallet.networks.length > 0 && <Networks stage={stage} form={form} />}
        {receive.memo !== "none" && (
          <TextField
            id="memo"
            label={receive.memo === "required" ? en.wallet.memo : en.wallet.memoOptional}
            hint={en.wallet.memoHint}
            error={form.errorOf("memo")}
            value={wallet.memo}
            onValue={(memo) => dispatch({ type: "memoTyped", memo })}
            onBlur={() => form.blur("memo")}
            input={{ autoComplete: "off", spellcheck: false, dir: "ltr", class: "mono" }}
          />
        )}
        <Notice tone="warning">
          <p>{copy.walletWarning(network)}</p>
        </Notice>
        <div class="actions">
          <MainButton busy={stage.advancing}>{en.continue}</MainButton>
        </div>
      </form>
    </Screen>
  );
}

interface PartProps {
  readonly stage: Choosing;
  readonly form: FormErrors;
}

function AddressField({ stage, form, network }: PartProps & { readonly network: string }) {
  const { dispatch } = useActions();
  const { world, receive, wallet } = stage;
  const shop = world.session.merchant.name;
  const locked = locksOf(world.session).wallet;
  const usual = receive.networkCode ? en.wallet.hint(networkName(receive)) : en.wallet.hintAny;
  const field = {
    id: "wallet-address",
    label: en.wallet.label(receive.code),
    // The result of the check takes the hint's place, so that nothing below moves.
    hint: locked ? en.setBy(shop) : isChecked(stage) ? undefined : usual,
    // What the service found shows at once; an empty field only when it was left or submitted.
    error: form.errorOf("wallet-address") ?? (wallet.fault && walletFaultText(stage, wallet.fault)),
  };
  return (
    <Field {...field}>
      <div class="control">
        <textarea
          {...describedBy(field)}
          class="mono"
          rows={2}
          dir="ltr"
          autoComplete="off"
          autocapitalize="off"
          spellcheck={false}
          readOnly={locked}
          value={wallet.address}
          onInput={(event) => dispatch({ type: "walletTyped", address: event.currentTarget.value })}
          onBlur={() => form.blur("wallet-address")}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.isComposing) return;
            event.preventDefault();
            event.currentTarget.form?.requestSubmit();
          }}
        />
        {locked && <LockIcon />}
      </div>
      <p class="check" role="status">
        {wallet.check === "checking" && (
          <>
            <span class="spinner" aria-hidden="true" />
            {en.wallet.checking}
          </>
        )}
        {wallet.check === "accepted" && (
          <span class="good">
            <CheckIcon />
            {en.wallet.accepted(network)}
          </span>
        )}
      </p>
    </Field>
  );
}

const isChecked = ({ wallet }: Choosing): boolean =>
  wallet.check === "checking" || wallet.check === "accepted";

function Networks({ stage, form }: PartProps) {
  const { dispatch } = useActions();
  const { world, wallet } = stage;
  const error = form.errorOf("wallet-network");
  return (
    <fieldset
      class="choices"
      id="wallet-network"
      tabIndex={-1}
      aria-describedby={error && "wallet-network-error"}
    >
      <legend>{en.wallet.networkLegend}</legend>
      {wallet.networks.map((code) => (
        <label key={code} class="choice">
          <input
            type="radio"
            name="network"
            checked={code === wallet.networkCode}
            onChange={() => dispatch({ type: "networkPicked", networkCode: code })}
          />
          <span class="choice-words option-name">
            {nameOfNetwork(world.receiveCurrencies, code)}
          </span>
        </label>
      ))}
      {error && <FieldError id="wallet-network" error={error} />}
    </fieldset>
  );
}
