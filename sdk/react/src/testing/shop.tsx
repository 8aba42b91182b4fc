import { StrictMode } from "react";
import { ExchangeButton, type ExchangeButtonProps, type UseExchangeOptions } from "../index.ts";

export type Offer = Partial<ExchangeButtonProps> & { readonly children: string };

export interface ShopProps {
  readonly common: Pick<UseExchangeOptions, "baseUrl" | "clientId" | "env" | "authenticationToken">;
  readonly offers: readonly Offer[];
}

/** A button for each offer, the same on the server and in the browser. */
export const Shop = ({ common, offers }: ShopProps) => (
  <StrictMode>
    {offers.map((offer) => (
      <ExchangeButton key={offer.children} {...common} {...offer} />
    ))}
  </StrictMode>
);
