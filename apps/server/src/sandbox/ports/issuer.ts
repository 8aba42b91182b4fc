/** A bank that asks its cardholder: the sandbox's own, so that a challenge can be played. */
export interface SandboxChallenge {
  readonly id: string;
  readonly brand: string;
  readonly lastFour: string;
  readonly currencyCode: string;
  /** Whole coins in fixed notation. */
  readonly amount: string;
  readonly open: boolean;
}

export interface SandboxIssuer {
  challenge(id: string): Promise<SandboxChallenge | undefined>;
  /** Ends the challenge; the card decides whether a confirmed one succeeds. */
  answer(id: string, answer: "confirm" | "cancel"): Promise<void>;
}
