import type { Migrated } from "../../storage/postgres/migrate.ts";
import type { Command } from "../command.ts";
import { withMigratedDatabase } from "../with-database.ts";

export const migrateCommand: Command = {
  name: "migrate",
  summary: "Bring the database's tables up to this version; the service does so at start too.",
  options: {},
  example: "migrate",
  run: (context) =>
    withMigratedDatabase(context, async ({ migrated }) => ({
      json: migrated,
      text: textOf(migrated),
    })),
};

function textOf({ applied, checksumsRecorded }: Migrated): string {
  const done = applied.length === 0 ? "Nothing to apply." : `Applied ${applied.join(", ")}.`;
  if (checksumsRecorded.length === 0) return done;
  return `${done} Recorded the checksums of ${checksumsRecorded.length} files that were applied before.`;
}
