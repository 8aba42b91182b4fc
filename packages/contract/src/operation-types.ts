import { type Static, Type } from "@sinclair/typebox";
import { named } from "./schema.ts";

/** Operation types on the wire (interface, "What the service does"). */
export const OperationType = named(
  "OperationType",
  Type.Union([Type.Literal("S"), Type.Literal("B"), Type.Literal("FF"), Type.Literal("CC")], {
    description: "S sell, B buy, FF fiat to fiat, CC crypto to crypto",
  }),
);
export type OperationType = Static<typeof OperationType>;

export const OPERATION_TYPES = ["S", "B", "FF", "CC"] as const satisfies readonly OperationType[];

/** The wire's letter for each operation name of the service. */
export const OPERATION_TYPE_OF = {
  buy: "B",
  sell: "S",
  crypto_to_crypto: "CC",
  fiat_to_fiat: "FF",
} as const satisfies Record<string, OperationType>;
