/** A mail server of the operator. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** `implicit`: TLS from the first byte. `starttls`: nothing is sent without it. */
  readonly tls: "implicit" | "starttls" | "none";
  readonly login: { readonly user: string; readonly pass: string } | undefined;
}

/** A mail to one or more addresses. */
export interface Mail {
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  /** The mail's id without a host. A repetition of the mail has the same one. */
  readonly id: string;
}

/**
 * `refused`: the server refused the address or the mail for good. Another fault may pass: the server is away, is busy or
 * refuses the service itself.
 */
export type MailFault = "refused" | "connect" | "tls" | "login" | "timeout" | "server";

/** Hands mails to a mail server. */
export interface Mailer {
  /** Never rejects. Returns undefined once the server has taken the mail. */
  send(mail: Mail, signal: AbortSignal): Promise<MailFault | undefined>;
}
