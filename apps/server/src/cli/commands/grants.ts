import { type Grants, grantService } from "../../storage/postgres/grants.ts";
import type { Command } from "../command.ts";
import { withMigratedDatabase } from "../with-database.ts";

export const databaseGrants: Command = {
  name: "database grants",
  summary: "Migrate the database as its owner, and grant the service's role what it needs.",
  options: {
    role: {
      value: "ROLE",
      required: true,
      description: "The role of the service. It must exist and must not own the tables.",
    },
  },
  argument: "role",
  example: "database grants exchange_service",
  run: (context, input) =>
    withMigratedDatabase(context, async ({ database, migrated }) => {
      const grants = await grantService(database, input.required("role"));
      return { json: { ...migrated, ...grants }, text: describeGrants(grants) };
    }),
};

function describeGrants({ role, appendOnly, withoutDelete, readOnly, others }: Grants): string {
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ["read and add rows of", appendOnly],
    ["read, add and change rows of", withoutDelete],
    ["only read", readOnly],
  ];
  return [
    ...parts.flatMap(([what, tables]) =>
      tables.length === 0 ? [] : [`${role} may ${what}: ${tables.join(", ")}.`],
    ),
    `${role} may read, add, change and delete rows of ${others.length} other tables.`,
    "Run this command again after each update, before the service starts.",
  ].join("\n");
}
