import type { Call, CallOptions, Operation } from "./calls/operation.ts";
import { OPERATIONS } from "./generated/operations.ts";
import type { Resources } from "./generated/resources.ts";
import { makePaged } from "./pages.ts";

type Method = (...args: readonly unknown[]) => unknown;

/** Builds the methods of every resource from the generated table. */
export function makeResources(call: Call): Resources {
  const resources = Object.entries(OPERATIONS).map(([name, operations]) => {
    const methods = Object.entries<Operation>(operations).map(([verb, operation]) => [
      verb,
      makeMethod(operation, call),
    ]);
    return [name, Object.freeze(Object.fromEntries(methods))];
  });
  return Object.fromEntries(resources) as Resources;
}

/** Arguments are the path's parameters, then the input when it takes one, then the options. */
function makeMethod(operation: Operation, call: Call): Method {
  const paramCount = operation.path.split("{").length - 1;
  return (...args) => {
    const rest = args.slice(paramCount);
    const request = {
      operation,
      params: args.slice(0, paramCount),
      input: operation.input === undefined ? undefined : rest[0],
      options: ((operation.input === undefined ? rest[0] : rest[1]) ?? {}) as CallOptions,
    };
    const { cursor } = operation;
    if (operation.unwrapped) return call(request);
    if (cursor === undefined) return dataOf(call(request));
    const input = request.input as Readonly<Record<string, unknown>> | undefined;
    return makePaged(call, { ...request, input, operation: { ...operation, cursor } });
  };
}

/** Returns the content of the success envelope. Its other members never vary. */
const dataOf = async (answer: Promise<unknown>): Promise<unknown> =>
  ((await answer) as { readonly data: unknown } | undefined)?.data;
