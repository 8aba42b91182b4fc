import { createTransport } from "nodemailer";
import { abortAfter } from "../../deadline.ts";
import type { Mailer, MailFault, SmtpServer } from "../../domain/ports/mailer.ts";

export interface SmtpOptions {
  readonly server: SmtpServer;
  /** The sender's address, with or without a name. */
  readonly from: string;
  /** The host in the ids of mails. */
  readonly idHost: string;
}

const STEP_TIMEOUT_MS = 10_000;
const SEND_DEADLINE_MS = 30_000;

/** Sends each mail over a connection of its own. The text of an error may hold the address, so it is not returned. */
export function makeSmtpMailer({ server, from, idHost }: SmtpOptions): Mailer {
  const transport = createTransport({
    host: server.host,
    port: server.port,
    secure: server.tls === "implicit",
    requireTLS: server.tls === "starttls",
    ignoreTLS: server.tls === "none",
    ...(server.login && { auth: server.login }),
    connectionTimeout: STEP_TIMEOUT_MS,
    greetingTimeout: STEP_TIMEOUT_MS,
    socketTimeout: STEP_TIMEOUT_MS,
    dnsTimeout: STEP_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send({ to, subject, text, html, id }, signal) {
      const ending = abortAfter(SEND_DEADLINE_MS, signal);
      try {
        await transport.sendMail({
          from,
          to: to.map((address) => ({ name: "", address })),
          subject,
          text,
          ...(html !== undefined && { html }),
          messageId: `<${id}@${idHost}>`,
          // Programs that answer mails, such as one of a holiday, do not answer these.
          headers: { "auto-submitted": "auto-generated" },
          signal: ending.signal,
        });
        return undefined;
      } catch (error) {
        return faultOf(error);
      } finally {
        ending.stop();
      }
    },
  };
}

const FAULTS: Readonly<Record<string, MailFault>> = {
  ECONNECTION: "connect",
  ESOCKET: "connect",
  EDNS: "connect",
  ETLS: "tls",
  ETIMEDOUT: "timeout",
  EABORT: "timeout",
  EAUTH: "login",
  ENOAUTH: "login",
};

/** A refusal of the sender's address is a fault of the settings, so it is not for good. */
function faultOf(error: unknown): MailFault {
  const { code, command, responseCode } = Object(error) as Record<string, unknown>;
  const isOfMail = command === "RCPT TO" || command === "DATA";
  if (isOfMail && typeof responseCode === "number" && responseCode >= 500) return "refused";
  return FAULTS[String(code)] ?? "server";
}
