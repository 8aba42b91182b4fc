import { type Grants, grantService, type RoleUse } from "../../storage/postgres/grants.ts";
import { type Command, type CommandInput, UsageError } from "../command.ts";
import { withMigratedDatabase } from "../with-database.ts";

export const databaseGrants: Command = {
  name: "database grants",
  summary:
    "Migrate the database as its owner, and grant a role of the service the rights that it needs.",
  options: {
    role: {
      value: "ROLE",
      required: true,
      description: "The role of the service. It must exist and must not own the tables.",
    },
    for: {
      value: "PROCESSES",
      description:
        "The processes that connect with the role: `api`, `worker` (and the operator's commands), or `all`. The default is `all`.",
    },
  },
  argument: "role",
  example: "database grants exchange_api --for api",
  run: (context, input) =>
    withMigratedDatabase(context, async ({ database, migrated }) => {
      const grants = await grantService(database, input.required("role"), useOf(input));
      return { json: { ...migrated, ...grants }, text: describeGrants(grants) };
    }),
};

const USES: readonly RoleUse[] = ["api", "worker", "all"];

function useOf(input: CommandInput): RoleUse {
  const wanted = input.one("for") ?? "all";
  const use = USES.find((each) => each === wanted);
  if (use) return use;
  throw new UsageError(`--for must be api, worker or all, and "${wanted}" is none of them.`);
}

function describeGrants({ role, use, tables }: Grants): string {
  const lines = Object.entries(tables).map(([table, rights]) =>
    `  ${table}: ${rights.join("; ") || "nothing"}`.replaceAll(/\s*\n\s*/g, " "),
  );
  const processes = use === "all" ? "all processes" : `processes with EXCHANGE_ROLE=${use}`;
  return [
    `${role} is the role of ${processes}. It may:`,
    ...lines,
    "Run this command again after each update, before the service starts.",
  ].join("\n");
}
