import type { Parser } from "./parsers.ts";

/** One environment variable that the service reads. */
export interface Setting<T> {
  readonly name: string;
  /** The text used when the variable is not set. Undefined when the setting has no default. */
  readonly default: Default;
  /** Describes a computed default in the reference. */
  readonly defaultWords?: string;
  readonly description: string;
  /** The value holds a password, so no error shows it. */
  readonly isSecret?: true;
  readonly parse: Parser<T>;
}

type ByEnvironment = Readonly<Record<"dev" | "staging" | "prod", string>>;
type Default = string | undefined | ByEnvironment;

/** Checks one row of the table of settings. */
export const setting = <T>(definition: Setting<T>): Setting<T> => definition;

/** Returns the text of a default, which may differ by environment. */
export function defaultText(
  one: Setting<unknown>,
  environment: keyof ByEnvironment,
): string | undefined {
  return typeof one.default === "object" ? one.default[environment] : one.default;
}
