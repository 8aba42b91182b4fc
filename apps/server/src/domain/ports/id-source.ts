/** Where ids and randomness come from, so that tests can decide them. */
export interface IdSource {
  uuid(): string;
  /** One that begins with the time: what is made together stands together in an index. */
  orderedUuid(): string;
  bytes(count: number): Uint8Array;
}
