import { en } from "../copy/en.ts";
import { operationCopy } from "../copy/operations.ts";
import type { Choosing } from "../machine/state.ts";
import { useActions } from "../ui/context.ts";
import { Notice } from "../ui/parts.tsx";

/** Buy, sell, swap or transfer, where the shop leaves the choice. */
export function OperationChoice({ stage }: { readonly stage: Choosing }) {
  const { dispatch } = useActions();
  const { world, switching } = stage;
  if (world.offered.length < 2) return null;
  const opening = switching?.status === "opening" ? switching.operation : undefined;
  return (
    <>
      <fieldset class="tabs">
        <legend class="visually-hidden">{en.operation.legend}</legend>
        {world.offered.map((operation) => (
          <label key={operation} class="tab">
            <input
              type="radio"
              name="operation"
              class="visually-hidden"
              checked={operation === (opening ?? world.operation)}
              onChange={() => dispatch({ type: "operationPicked", operation })}
            />
            <span>{operationCopy(operation).name}</span>
          </label>
        ))}
      </fieldset>
      {switching && switching.status !== "opening" && (
        <Notice tone="warning">
          <p role="alert">
            {switching.status === "unavailable"
              ? en.operation.unavailable(operationCopy(switching.operation).name)
              : en.operation.unreachable}
          </p>
        </Notice>
      )}
    </>
  );
}
