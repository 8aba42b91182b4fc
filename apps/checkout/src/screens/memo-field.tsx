import { t } from "../copy/later.ts";
import { TextField } from "../ui/field.tsx";
import { LockIcon } from "../ui/icons.tsx";

interface MemoProps {
  readonly id: string;
  readonly hint: string;
  readonly error: string | undefined;
  readonly draft: { readonly memo: string; readonly withoutMemo: boolean };
  readonly locked?: boolean;
  readonly onMemo: (memo: string) => void;
  /** Absent where every address needs a memo. */
  readonly onWaived: ((withoutMemo: boolean) => void) | undefined;
  readonly onBlur?: () => void;
}

/** The memo of an address, and the customer's word that it needs none. */
export function MemoField({ id, hint, error, draft, locked, ...on }: MemoProps) {
  return (
    <>
      <TextField
        id={id}
        label={t("wallet.memo")}
        hint={hint}
        error={error}
        value={draft.memo}
        onValue={on.onMemo}
        {...(on.onBlur ? { onBlur: on.onBlur } : {})}
        input={{
          autoComplete: "off",
          spellcheck: false,
          dir: "ltr",
          class: "mono",
          readOnly: locked ?? false,
        }}
        after={locked && <LockIcon />}
      />
      {on.onWaived && (
        <label class="tick">
          <input
            type="checkbox"
            checked={draft.withoutMemo}
            onChange={(event) => on.onWaived?.(event.currentTarget.checked)}
          />
          <span>{t("wallet.memo.none")}</span>
        </label>
      )}
    </>
  );
}

/** Returns whether neither a memo was typed nor waived. */
export const lacksMemo = (draft: MemoProps["draft"]): boolean =>
  draft.memo.trim() === "" && !draft.withoutMemo;
