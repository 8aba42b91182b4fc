import { useRef, useState } from "preact/hooks";
import { t } from "../copy/later.ts";
import { locksOf } from "../machine/locks.ts";
import type { AddressUse, Choosing } from "../machine/state.ts";
import { coinFor } from "../machine/steps.ts";
import { useDispatch } from "../ui/context.ts";
import { Field, FieldError } from "../ui/field.tsx";
import type { FormErrors } from "../ui/form.tsx";
import { CheckIcon, LockIcon } from "../ui/icons.tsx";
import { nameOfNetwork, networkName } from "../ui/network-words.ts";
import { AddressInput } from "./address-input.tsx";
import { MemoField } from "./memo-field.tsx";
import { type PaymentTarget, readPaymentLink } from "./payment-link.ts";
import { ScanButton } from "./scan-button.tsx";
import { useFocusAfter } from "./use-focus-after.ts";
import { walletFaultText } from "./wallet-checks.ts";

/** An address is never longer. */
const CHARACTERS_MAX = 256;

interface AddressProps {
  readonly stage: Choosing;
  readonly form: FormErrors;
  readonly use: AddressUse;
}

/** An address with its check, and the network and memo if the coin needs them. */
export function AddressFields(props: AddressProps) {
  const { stage, use } = props;
  const draft = stage[use];
  const hasMemo = coinFor(stage, use).memo !== "none" && (use === "wallet" || draft.address !== "");
  return (
    <>
      <AddressField {...props} />
      {draft.networks.length > 0 && <Networks {...props} />}
      {hasMemo && <AddressMemo {...props} />}
    </>
  );
}

function AddressMemo({ stage, form, use }: AddressProps) {
  const dispatch = useDispatch("address");
  const draft = stage[use];
  const { session } = stage.world;
  const locked = use === "wallet" && locksOf(session).memo;
  if (locked && draft.withoutMemo) return null;
  const id = `${use}-memo`;
  return (
    <MemoField
      id={id}
      hint={locked ? t("setBy", { shop: session.merchant.name }) : t("wallet.memo.hint")}
      error={form.errorOf(id)}
      draft={draft}
      locked={locked}
      onMemo={(memo) => dispatch({ type: "memoTyped", use, memo })}
      onWaived={
        locked || coinFor(stage, use).memo === "required"
          ? undefined
          : (withoutMemo) => dispatch({ type: "memoWaived", use, withoutMemo })
      }
      onBlur={() => form.blur(id)}
    />
  );
}

/** Returns the name of an address's network. */
export function networkFor(stage: Choosing, use: AddressUse): string {
  const { networkCode } = stage[use];
  const coin = coinFor(stage, use);
  const { spendCurrencies, receiveCurrencies } = stage.world;
  return networkCode
    ? nameOfNetwork([...receiveCurrencies, ...spendCurrencies], networkCode)
    : networkName(coin);
}

function AddressField({ stage, form, use }: AddressProps) {
  const dispatch = useDispatch("address");
  const draft = stage[use];
  const coin = coinFor(stage, use);
  const locked = use === "wallet" && locksOf(stage.world.session).wallet;
  const usual = coin.networkCode
    ? t("wallet.hint", { network: networkName(coin) })
    : t("wallet.hint.any");
  const isChecked = draft.check === "checking" || draft.check === "accepted";
  const id = `${use}-address`;
  const focusAfterwards = useFocusAfter(id, draft.address);
  const hasMemo = coin.memo !== "none" && !(use === "wallet" && locksOf(stage.world.session).memo);
  const fill = ({ address, memo }: PaymentTarget): void => {
    focusAfterwards();
    dispatch({ type: "walletTyped", use, address });
    if (memo && hasMemo) dispatch({ type: "memoTyped", use, memo });
  };
  const field = {
    id,
    label: t(`${use}.label`, { coin: coin.code }),
    // The result of the check takes the hint's place, so that nothing below moves.
    hint: locked
      ? t("setBy", { shop: stage.world.session.merchant.name })
      : isChecked
        ? undefined
        : usual,
    // The service's result shows at once. An empty field is an error only after the customer left or submitted it.
    error: form.errorOf(id) ?? (draft.fault && walletFaultText(stage, use, draft.fault)),
  };
  return (
    <Field {...field}>
      <AddressInput
        field={field}
        value={draft.address}
        readOnly={locked}
        onValue={(address) => dispatch({ type: "walletTyped", use, address })}
        onBlur={() => form.blur(id)}
      >
        {locked && <LockIcon />}
        {!locked && draft.address === "" && <FillButtons onTarget={fill} />}
      </AddressInput>
      <p class="check" role="status">
        {draft.check === "checking" && (
          <>
            <span class="spinner" aria-hidden="true" />
            {t("wallet.checking")}
          </>
        )}
        {draft.check === "accepted" && (
          <span class="good">
            <CheckIcon />
            {t("wallet.accepted", { network: networkFor(stage, use) })}
          </span>
        )}
      </p>
    </Field>
  );
}

/** Two ways to fill an empty field without typing. */
function FillButtons({ onTarget }: { readonly onTarget: (target: PaymentTarget) => void }) {
  const takeText = (text: string): void => {
    const target = readPaymentLink(text);
    if (target.address.length <= CHARACTERS_MAX) onTarget(target);
  };
  return (
    <span class="paste">
      <PasteButton onText={takeText} />
      <ScanButton onText={takeText} />
    </span>
  );
}

/** Pastes an address that the customer has copied, where the browser lets a page read the clipboard. */
function PasteButton({ onText }: { readonly onText: (text: string) => void }) {
  const [isAllowed, setAllowed] = useState(typeof navigator.clipboard?.readText === "function");
  const button = useRef<HTMLButtonElement>(null);
  const paste = async (): Promise<void> => {
    try {
      const text = await navigator.clipboard.readText();
      // Meanwhile the customer may have typed an address, and the button is gone.
      if (button.current) onText(text);
    } catch {
      // The customer or the page around the frame said no. The keyboard can still paste.
      setAllowed(false);
    }
  };
  if (!isAllowed) return null;
  return (
    <button ref={button} type="button" class="quiet-button" onClick={() => void paste()}>
      {t("wallet.paste")}
    </button>
  );
}

function Networks({ stage, form, use }: AddressProps) {
  const dispatch = useDispatch("address");
  const { spendCurrencies, receiveCurrencies } = stage.world;
  const draft = stage[use];
  const id = `${use}-network`;
  const error = form.errorOf(id);
  return (
    <fieldset class="choices" id={id} tabIndex={-1} aria-describedby={error && `${id}-error`}>
      <legend>{t("wallet.network.legend")}</legend>
      {draft.networks.map((code) => (
        <label key={code} class="choice">
          <input
            type="radio"
            name={id}
            checked={code === draft.networkCode}
            onChange={() => dispatch({ type: "networkPicked", use, networkCode: code })}
          />
          <span class="choice-words option-name">
            {nameOfNetwork([...receiveCurrencies, ...spendCurrencies], code)}
          </span>
        </label>
      ))}
      {error && <FieldError id={id} error={error} />}
    </fieldset>
  );
}
