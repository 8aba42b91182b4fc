import type { Operator } from "../domain/operators/operator.ts";

/** An operator who works under an account of the same name. */
export const operatorNamed = (person: string, account = person): Operator => ({
  person,
  systemUser: account,
  sudoUser: null,
  account,
});
