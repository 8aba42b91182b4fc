import { ROLE_NAMES } from "@exchange/contract/admin";
import { inviteByEmail } from "../../flows/people/invite.ts";
import { changePerson, listPeopleFor } from "../../flows/people/manage.ts";
import { Refusal } from "../../flows/refusal.ts";
import { consoleUrlOf } from "../../start/listen-console.ts";
import { makeRateCounters } from "../../storage/limits/rate-windows.ts";
import { type Command, type CommandOption, UsageError } from "../command.ts";
import { AS, operatorOf } from "../operator-options.ts";
import { listing } from "../table.ts";
import { timeWords } from "../times.ts";
import { withDatabase } from "../with-database.ts";

const EMAIL: CommandOption = {
  value: "ADDRESS",
  required: true,
  description: "The person's e-mail address, which is the name of the account.",
};

export const peopleInvite: Command = {
  name: "people invite",
  summary: "Invite a person to the console, or make a new link for one who cannot sign in.",
  options: {
    email: EMAIL,
    name: { value: "NAME", description: "The person's name. Default: the address." },
    role: {
      value: "ROLE",
      required: true,
      multiple: true,
      description: `One of ${ROLE_NAMES.join(", ")}. An earlier account keeps its roles.`,
    },
    client: { value: "ID", description: "The merchant of the person. Default: the operator." },
    language: {
      value: "LANGUAGE",
      description: "The language of mails to the person: en or de. Default: en.",
    },
    mail: {
      description: "Mail the link to the person. Without it the link is printed.",
    },
    as: AS,
  },
  argument: "email",
  example: "people invite --email ada@example.com --name Ada --role administrator --role treasury",
  run: (context, input) =>
    withDatabase(context, async (deps) => {
      const email = input.required("email");
      const { mailFrom, ...config } = context.config();
      if (config.consoleUrl === undefined && config.consolePort === 0) {
        throw new UsageError(
          "EXCHANGE_CONSOLE_URL is not set, so the link would lead nowhere. Set it to the address of the console, as on the machine where the console runs.",
        );
      }
      const invited = await inviteByEmail(
        {
          ...deps,
          consoleUrl: consoleUrlOf(config),
          rateCounters: makeRateCounters(deps.database),
          offersMail: mailFrom !== undefined,
        },
        {
          email,
          name: input.one("name") ?? email,
          roles: input.many("role"),
          merchantId: input.one("client") ?? null,
          language: input.one("language"),
          linkBy: input.hasFlag("mail") ? "mail" : "hand",
          by: operatorOf(context, input),
        },
      );
      const until = timeWords(invited.expiresAt);
      if (invited.linkBy === "mail") {
        const text = `The link is being mailed to ${email}. It works once, until ${until}.`;
        return { json: { ...invited, link: null }, text };
      }
      const text = `Give this link to ${email}. It works once, until ${until}:\n\n  ${invited.link}`;
      return { json: invited, text };
    }),
};

export const peopleList: Command = {
  name: "people list",
  summary: "List the people with accounts of the console: roles, state and ways to sign in.",
  options: {},
  example: "people list",
  run: (context) =>
    withDatabase(context, async (deps) => {
      const people = await listPeopleFor(deps, {});
      const rows = people.map((one) => [
        one.email,
        one.name,
        one.merchantName ?? "operator",
        one.roles.join(", "),
        one.state,
        `${one.passkeys} ${one.passkeys === 1 ? "passkey" : "passkeys"}${one.hasPassword ? ", password" : ""}${one.hasIdentity ? ", single sign-on" : ""}`,
        one.lastSeenAt === null ? "" : timeWords(one.lastSeenAt),
      ]);
      const head = ["E-MAIL", "NAME", "OF", "ROLES", "STATE", "SIGNS IN WITH", "LAST SEEN"];
      return { json: people, text: listing(head, rows, "Nobody has an account yet.") };
    }),
};

export const peopleDisable: Command = {
  name: "people disable",
  summary: "Disable a person's account. Every session ends at once.",
  options: { email: EMAIL, as: AS },
  argument: "email",
  example: "people disable ada@example.com",
  run: (context, input) =>
    withDatabase(context, async (deps) => {
      const email = input.required("email").trim().toLowerCase();
      const person = (await listPeopleFor(deps, {})).find((one) => one.email === email);
      if (!person) {
        throw new Refusal("NOT_FOUND", {
          message: `Nobody has an account with ${email}. List them: exchange people list`,
        });
      }
      const by = operatorOf(context, input);
      await changePerson(deps, { personId: person.id, state: "disabled", by });
      return { json: { email, state: "disabled" }, text: `${email} is disabled and signed out.` };
    }),
};
