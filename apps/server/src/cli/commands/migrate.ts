import type { Command } from "../command.ts";
import { withMigratedDatabase } from "../with-database.ts";

export const migrateCommand: Command = {
  name: "migrate",
  summary: "Bring the database's tables up to this version; the service does so at start too.",
  options: {},
  example: "migrate",
  run: (context) =>
    withMigratedDatabase(context, async ({ applied }) => ({
      json: { applied },
      text: applied.length === 0 ? "Nothing to apply." : `Applied ${applied.join(", ")}.`,
    })),
};
