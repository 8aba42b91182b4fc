import type { ListedMerchant } from "@exchange/contract/admin";
import type { TargetedEvent } from "preact";
import { useId, useState } from "preact/hooks";
import { callWhole, type Listed } from "../api.ts";
import { say } from "../say.ts";
import { Field } from "../ui/fields.tsx";
import { useData } from "../ui/use-data.ts";

const NONE: Listed<ListedMerchant> = { data: [], nextCursor: null };

/**
 * A merchant's client id, which is typed or chosen. From the first press on it offers the merchants whose name or client id
 * contains the text. The only one, or the one with just that name, is taken when the person leaves the field or presses Enter,
 * because a filter by a name finds nothing.
 */
export function MerchantField(props: { readonly initial?: string; readonly label?: string }) {
  const { label = say("money.merchant"), ...field } = props;
  const list = useId();
  const [name, setName] = useState<string>();
  const { data } = useData(`merchants ${name}`, () =>
    name === undefined
      ? Promise.resolve(NONE)
      : callWhole<Listed<ListedMerchant>>("/merchants", { query: { name } }),
  );
  const find = ({ currentTarget: { value } }: TargetedEvent<HTMLInputElement>) => setName(value);
  const take = (event: Event) => {
    const input = event.target as HTMLInputElement;
    const offered = data?.data ?? [];
    const named = offered.filter((merchant) => merchant.name === input.value);
    const [only, other] = named.length > 0 ? named : offered;
    if (input.value !== "" && only && !other) input.value = only.merchantId;
  };
  return (
    <div class="choose" onChange={take}>
      <Field
        {...field}
        label={label}
        name="merchantId"
        maxLength={64}
        list={list}
        onFocus={find}
        onInput={find}
      />
      <datalist id={list}>
        {data?.data.map((merchant) => (
          <option key={merchant.merchantId} value={merchant.merchantId}>
            {merchant.name}
          </option>
        ))}
      </datalist>
    </div>
  );
}
