import { type AddressBehaviour, MAGIC_ADDRESSES } from "../sandbox/chains/magic-addresses.ts";
import { found } from "./catalogue.ts";

/** The documented address of a form that does this, for tests of rooms that may not ask an adapter. */
export const sandboxAddress = (form: string, behaviour: AddressBehaviour): string =>
  found(MAGIC_ADDRESSES.find((item) => item.form === form && item.behaviour === behaviour)).address;
