import { planDatabase } from "../../start/migrate-database.ts";
import type { Migrated, MigrationPlan } from "../../storage/postgres/migrate.ts";
import type { Command, CommandContext, CommandResult } from "../command.ts";
import { withMigratedDatabase, withServer } from "../with-database.ts";

/** The exit statuses of `migrate --check` and `migrate status`. */
const STATUS = { nothing: 0, pending: 10, refused: 20 } as const;

export const migrateCommand: Command = {
  name: "migrate",
  summary: "Apply pending database migrations. The service does so at start too.",
  options: {
    check: {
      description:
        "Change nothing. The exit status is 0 when nothing is pending, 10 when something is, and 20 when the database is of a newer version or a file was edited.",
    },
  },
  example: "migrate",
  run: (context, input) =>
    input.hasFlag("check")
      ? readPlan(context, describeStatus)
      : withMigratedDatabase(context, async ({ migrated }) => ({
          json: migrated,
          text: describeMigrated(migrated),
        })),
};

function describeMigrated({ applied, checksumsRecorded }: Migrated): string {
  const done = applied.length === 0 ? "Nothing to apply." : `Applied ${applied.join(", ")}.`;
  if (checksumsRecorded.length === 0) return done;
  return `${done} Recorded the checksums of ${checksumsRecorded.length} files that were applied before.`;
}

export const migrateStatus: Command = {
  name: "migrate status",
  summary: "Show how far the database is migrated. The exit status is that of migrate --check.",
  options: {},
  example: "migrate status",
  run: (context) => readPlan(context, describeStatus),
};

export const migratePlan: Command = {
  name: "migrate plan",
  summary: "Print the SQL of the pending migrations, without running it.",
  options: {},
  example: "migrate plan",
  run: async (context) => {
    const result = await readPlan(context, describePlan);
    const { exitStatus, ...shown } = result;
    return exitStatus === STATUS.refused ? result : shown;
  },
};

const readPlan = (
  context: CommandContext,
  describe: (plan: MigrationPlan) => string,
): Promise<CommandResult> =>
  withServer(context.config(), context, async (database) => {
    const plan = await planDatabase(database, context.config());
    const { applied, newer, edited } = plan;
    const pending = plan.pending.map(({ name }) => name);
    return {
      json: { applied: applied.length, pending, newer, edited },
      text: describe(plan),
      exitStatus: statusOf(plan),
    };
  });

function statusOf({ pending, newer, edited }: MigrationPlan): number {
  if (newer.length + edited.length > 0) return STATUS.refused;
  return pending.length > 0 ? STATUS.pending : STATUS.nothing;
}

function describeStatus({ applied, pending, newer, edited }: MigrationPlan): string {
  const names = pending.map(({ name }) => name);
  const lines = [`${applied.length} migrations are applied.`];
  if (names.length > 0) lines.push(`${names.length} are pending: ${names.join(", ")}.`);
  if (newer.length > 0) {
    lines.push(
      `The database is of a newer version of Exchange, which applied ${newer.join(", ")}. ` +
        "Start that version, or restore a backup that was made before the update.",
    );
  }
  if (edited.length > 0) {
    lines.push(
      `These files are not the ones that were applied: ${edited.join(", ")}. Restore the files of the release.`,
    );
  }
  if (names.length + newer.length + edited.length === 0) lines.push("Nothing is pending.");
  return lines.join("\n");
}

function describePlan(plan: MigrationPlan): string {
  if (statusOf(plan) !== STATUS.pending) return describeStatus(plan);
  return plan.pending.map(({ name, text }) => `-- ${name}\n${text.trimEnd()}\n`).join("\n");
}
