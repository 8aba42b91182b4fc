/** The messages of a part: each with the names of its placeholders. */
type Messages<Of> = { readonly [Key in keyof Of]: string };

/** A count is a number, for its plural; everything else comes as it shall be printed. */
type ValuesOf<Placeholder extends string> = {
  readonly [Name in Placeholder]: Name extends "count" ? number : string;
};

/** Says a message. One that has placeholders cannot be said without what stands in them. */
export type Say<Of extends Messages<Of>> = <Key extends keyof Of & string>(
  key: Key,
  ...values: [Of[Key]] extends [never] ? [] : [ValuesOf<Of[Key]>]
) => string;
