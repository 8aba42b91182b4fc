/** The parties and addresses of an order, for a check against lists of sanctions and stolen coins. */
export interface ScreeningRequest {
  readonly networkCode: string | null;
  /** The destination address of coins, if any. */
  readonly address: string | null;
  readonly customer: {
    readonly firstName?: string;
    readonly lastName?: string;
    readonly countryCode?: string;
  };
}

/** Checks an order before it is exchanged. A lost answer throws, and the order waits. */
export interface Screener {
  readonly name: string;
  screen(request: ScreeningRequest): Promise<"clear" | "hit">;
}
