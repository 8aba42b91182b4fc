/** The source of ids and random bytes, so that tests can decide them. */
export interface IdSource {
  uuid(): string;
  /** A UUID that begins with the time, so that rows written together are adjacent in an index. */
  orderedUuid(): string;
  bytes(count: number): Uint8Array;
}
