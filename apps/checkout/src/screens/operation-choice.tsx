import { t } from "../copy/first.ts";
import type { Choosing } from "../machine/state.ts";
import { useDispatch } from "../ui/context.ts";
import { Notice } from "../ui/parts.tsx";

/** Names of more letters do not fit into one row of a phone. */
const LETTERS_OF_A_ROW = 28;

/** Buy, sell, swap or transfer, if the shop leaves the choice to the customer. */
export function OperationChoice({ stage }: { readonly stage: Choosing }) {
  const dispatch = useDispatch("operation");
  const { world, switching } = stage;
  if (world.offered.length < 2) return null;
  const opening = switching?.status === "opening" ? switching.operation : undefined;
  const names = world.offered.map((operation) => t(`${operation}.name`));
  const isLong = names.length === 4 && names.join("").length > LETTERS_OF_A_ROW;
  return (
    <>
      <fieldset class={isLong ? "tabs tabs-long" : "tabs"}>
        <legend class="visually-hidden">{t("operation.legend")}</legend>
        {world.offered.map((operation) => (
          <label key={operation} class="tab">
            <input
              type="radio"
              name="operation"
              class="visually-hidden"
              checked={operation === (opening ?? world.operation)}
              onChange={() => dispatch({ type: "operationPicked", operation })}
            />
            <span>{t(`${operation}.name`)}</span>
          </label>
        ))}
      </fieldset>
      {switching && switching.status !== "opening" && (
        <Notice tone="warning">
          <p role="alert">
            {switching.status === "unavailable"
              ? t("operation.unavailable", { name: t(`${switching.operation}.name`) })
              : t("operation.unreachable")}
          </p>
        </Notice>
      )}
    </>
  );
}
