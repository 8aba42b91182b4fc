/** Where ids and randomness come from, so that tests can decide them. */
export interface IdSource {
  uuid(): string;
  bytes(count: number): Uint8Array;
}
