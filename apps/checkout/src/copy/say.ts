/** The messages of a part: each with the names of its placeholders. */
type Messages<Of> = { readonly [Key in keyof Of]: string };

/** A count is a number, which chooses the plural. Every other value is a formatted text. */
type ValuesOf<Placeholder extends string> = {
  readonly [Name in Placeholder]: Name extends "count" ? number : string;
};

/** Prints a message. The type requires a value for each of its placeholders. */
export type Say<Of extends Messages<Of>> = <Key extends keyof Of & string>(
  key: Key,
  ...values: [Of[Key]] extends [never] ? [] : [ValuesOf<Of[Key]>]
) => string;
