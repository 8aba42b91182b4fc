import { type Static, Type } from "@sinclair/typebox";

export const Wallet = Type.Object({
  id: Type.Integer(),
  user: Type.Object({ firstName: Type.String(), lastName: Type.String() }),
  walletAddress: Type.String(),
  currencyCode: Type.String(),
  networkCode: Type.String(),
});
export type Wallet = Static<typeof Wallet>;

export const WalletLookupQuery = Type.Object({
  walletAddress: Type.String({ minLength: 1, maxLength: 128 }),
  currencyCode: Type.String({ minLength: 1, maxLength: 64 }),
  networkCode: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
});
export type WalletLookupQuery = Static<typeof WalletLookupQuery>;

export const WalletLookupResult = Type.Object({
  success: Type.Boolean(),
  message: Type.String(),
  wallet: Type.Union([Wallet, Type.Null()]),
  availableNetworks: Type.Array(Type.String()),
  requiresNetworkCode: Type.Boolean(),
});
export type WalletLookupResult = Static<typeof WalletLookupResult>;
