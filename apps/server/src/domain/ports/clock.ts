/** Business time: the database's clock plus the sandbox's offset. */
export interface Clock {
  now(): Date;
}
