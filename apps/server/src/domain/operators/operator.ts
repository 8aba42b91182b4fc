/** The person that runs a command, as the log of operators' actions names them. */
export interface Operator {
  /** The name that the person gave. */
  readonly person: string;
  /** The user of the system that the command ran as. */
  readonly systemUser: string;
  /** The user that called sudo. Null without sudo. */
  readonly sudoUser: string | null;
  /** The account of the system that counts as one person. */
  readonly account: string;
}
