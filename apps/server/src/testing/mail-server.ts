import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { makeSmtpMailer } from "../adapters/smtp/mailer.ts";
import type { Mailer, SmtpServer } from "../domain/ports/mailer.ts";

export interface ReceivedMail {
  readonly to: readonly string[];
  /** As it was sent, with unfolded headers and without soft line breaks. */
  readonly text: string;
}

export interface MailServer {
  readonly received: ReceivedMail[];
  readonly mailer: Mailer;
  /** Refuses every recipient with this code of SMTP; 0 takes all. */
  refuseWith: number;
  close(): Promise<void>;
}

const LOGIN = { user: "exchange", pass: "secret" };

/** A real SMTP server on loopback that takes mails after a login. */
export async function startMailServer(login: SmtpServer["login"] = LOGIN): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const smtp = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    logger: false,
    onAuth: ({ username, password }, _session, done) => {
      if (username === LOGIN.user && password === LOGIN.pass) return done(null, { user: username });
      done(new Error("wrong password"));
    },
    onRcptTo: ({ address }, _session, done) => {
      const { refuseWith } = server;
      if (refuseWith === 0) return done();
      done(Object.assign(new Error(`no ${address} here`), { responseCode: refuseWith }));
    },
    onData: (stream, { envelope }, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const raw = Buffer.concat(chunks).toString("utf8");
        const to = envelope.rcptTo.map(({ address }) => address);
        received.push({ to, text: raw.replaceAll(/\r\n[ \t]/g, " ").replaceAll("=\r\n", "") });
        done();
      });
    },
  });
  smtp.on("error", () => {});
  const listening = smtp.listen(0, "127.0.0.1");
  await once(listening, "listening");
  const { port } = listening.address() as AddressInfo;
  const address: SmtpServer = { host: "127.0.0.1", port, tls: "none", login };
  const from = "Example Pay <pay@example.com>";
  const server: MailServer = {
    received,
    mailer: makeSmtpMailer({ server: address, from, idHost: "pay.example.com" }),
    refuseWith: 0,
    close: () => new Promise((resolve) => smtp.close(() => resolve())),
  };
  return server;
}
