import { type AddressBehaviour, MAGIC_ADDRESSES } from "../sandbox/chains/magic-addresses.ts";
import { found } from "./catalogue.ts";

/**
 * Returns the documented address with this behaviour, for tests in folders that may not import an
 * adapter.
 */
export const sandboxAddress = (form: string, behaviour: AddressBehaviour): string =>
  found(MAGIC_ADDRESSES.find((item) => item.form === form && item.behaviour === behaviour)).address;
