import { type Static, Type } from "@sinclair/typebox";
import { PAGE_QUERY } from "./pages.ts";
import { named } from "./schema.ts";

export const Wallet = named(
  "Wallet",
  Type.Object({
    id: Type.Integer(),
    user: Type.Object(
      { firstName: Type.String(), lastName: Type.String() },
      { description: "names are empty if you sent none" },
    ),
    walletAddress: Type.String(),
    currencyCode: Type.String(),
    networkCode: Type.String(),
  }),
);
export type Wallet = Static<typeof Wallet>;

export const WalletIdParams = Type.Object({
  walletId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
});

export const WalletsQuery = Type.Object(PAGE_QUERY);
export type WalletsQuery = Static<typeof WalletsQuery>;

const PersonName = Type.String({ minLength: 1, maxLength: 100 });

export const WalletRequest = named(
  "WalletRequest",
  Type.Object(
    {
      walletAddress: Type.String({ minLength: 1, maxLength: 128 }),
      currencyCode: Type.String({ minLength: 1, maxLength: 64 }),
      networkCode: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
      user: Type.Optional(
        Type.Object(
          { firstName: PersonName, lastName: PersonName },
          { additionalProperties: false },
        ),
      ),
    },
    { additionalProperties: false },
  ),
);
export type WalletRequest = Static<typeof WalletRequest>;

export const WalletLookupQuery = Type.Object({
  walletAddress: Type.String({ minLength: 1, maxLength: 128 }),
  currencyCode: Type.String({ minLength: 1, maxLength: 64 }),
  networkCode: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
});
export type WalletLookupQuery = Static<typeof WalletLookupQuery>;

export const WalletLookupResult = named(
  "WalletLookupResult",
  Type.Object({
    success: Type.Boolean(),
    message: Type.String(),
    wallet: Type.Union([Wallet, Type.Null()]),
    availableNetworks: Type.Array(Type.String()),
    requiresNetworkCode: Type.Boolean(),
    belongsTo: Type.Optional(
      Type.Array(Type.String(), {
        description:
          "set where the address is of no network of the coin: the networks that it belongs to",
      }),
    ),
    addressStarts: Type.Optional(
      Type.Array(Type.String(), {
        description:
          "set beside `belongsTo`: the first letters of an address of the coin, if it has such letters",
      }),
    ),
  }),
);
export type WalletLookupResult = Static<typeof WalletLookupResult>;
