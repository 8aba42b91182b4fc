import { type Database, type Statement, statement, type Tx } from "./database.ts";

/** The tables of one role, by what it may do with their rows. */
export interface Grants {
  readonly role: string;
  /** Rows are read and added, and never changed or deleted. */
  readonly appendOnly: readonly string[];
  /** Rows are read, added and changed, and never deleted. */
  readonly withoutDelete: readonly string[];
  readonly readOnly: readonly string[];
  readonly others: readonly string[];
}

/** The role cannot be restricted by grants, or does not exist. */
export class GrantsError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "GrantsError";
  }
}

const SCHEMAS = "('public', 'sandbox')";

interface RoleRow {
  readonly is_powerful: boolean;
  readonly is_owner: boolean;
}
// A superuser passes every grant, and so does a member of the role that owns the tables.
const READ_ROLE = statement(
  "grants_read_role",
  `select r.rolsuper or r.rolcreaterole or r.rolbypassrls as is_powerful, exists (
     select from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ${SCHEMAS} and c.relkind in ('r', 'p')
       and pg_has_role(r.oid, c.relowner, 'member')) as is_owner
   from pg_roles r where r.rolname = $1`,
);

interface TableRow {
  readonly name: string;
  readonly is_view: boolean;
  readonly refuses_update: boolean;
  readonly refuses_delete: boolean;
}
// In tgtype, 8 stands for delete and 16 for update. A trigger with a condition refuses only some changes.
const READ_TABLES = statement(
  "grants_read_tables",
  `select format('%I.%I', n.nspname, c.relname) as name, c.relkind = 'v' as is_view,
     coalesce(bool_or(t.tgtype & 16 <> 0), false) as refuses_update,
     coalesce(bool_or(t.tgtype & 8 <> 0), false) as refuses_delete
   from pg_class c join pg_namespace n on n.oid = c.relnamespace
     left join pg_trigger t on t.tgrelid = c.oid and t.tgqual is null
       and t.tgfoid = to_regproc('public.refuse_change') and t.tgattr = ''
   where n.nspname in ${SCHEMAS} and c.relkind in ('r', 'p', 'v')
   group by n.nspname, c.relname, c.relkind order by 1`,
);
const READ_SCHEMAS = statement(
  "grants_read_schemas",
  `select format('%I', nspname) as name, current_setting('server_version_num')::int as version
   from pg_namespace where nspname in ${SCHEMAS} order by 1`,
);
const QUOTE = statement("grants_quote", "select format('%I', $1::text) as name");

/** PostgreSQL 17 has a privilege to analyze tables. In earlier versions only autovacuum does it then. */
const MAINTAIN_SINCE = 170_000;
const READ_ONLY_TABLES: ReadonlySet<string> = new Set(["public.migrations"]);

/**
 * Grants a role what the service needs and nothing else. The insert-only tables are those whose trigger
 * refuses changes, so grants and triggers never differ. Earlier grants on the tables are replaced in the
 * same database transaction, so a running service does not notice.
 */
export function grantService(database: Database, role: string): Promise<Grants> {
  return database.transaction(async (tx) => {
    await requireOrdinaryRole(tx, role);
    const tables = await tx.query<TableRow>(READ_TABLES);
    const grants = groupTables(role, tables);
    const [quoted] = await tx.query<{ name: string }>(QUOTE, [role]);
    const name = quoted?.name ?? "";
    const schemas = await tx.query<{ name: string; version: number }>(READ_SCHEMAS);
    for (const schema of schemas)
      for (const each of schemaGrants(schema, name)) await tx.query(each);
    for (const each of tableGrants(grants, name)) await tx.query(each);
    return grants;
  });
}

async function requireOrdinaryRole(tx: Tx, role: string): Promise<void> {
  const [row] = await tx.query<RoleRow>(READ_ROLE, [role]);
  if (row === undefined) {
    throw new GrantsError(
      `There is no role ${role}. Create it first: create role ${role} login password '…'.`,
    );
  }
  if (!row.is_powerful && !row.is_owner) return;
  const why = row.is_owner ? "owns the tables" : "may change roles or pass every check";
  throw new GrantsError(
    `The role ${role} ${why}, so grants do not bind it. Name a role that is neither the owner nor a superuser.`,
  );
}

function groupTables(role: string, tables: readonly TableRow[]): Grants {
  const isReadOnly = ({ name, is_view }: TableRow) => is_view || READ_ONLY_TABLES.has(name);
  const changeable = tables.filter((one) => !isReadOnly(one));
  const namesOf = (part: readonly TableRow[]): string[] => part.map(({ name }) => name);
  return {
    role,
    appendOnly: namesOf(changeable.filter((one) => one.refuses_update)),
    withoutDelete: namesOf(changeable.filter((one) => !one.refuses_update && one.refuses_delete)),
    readOnly: namesOf(tables.filter(isReadOnly)),
    others: namesOf(changeable.filter((one) => !one.refuses_update && !one.refuses_delete)),
  };
}

const run = (text: string): Statement => statement("", text);

function schemaGrants(
  schema: { readonly name: string; readonly version: number },
  role: string,
): Statement[] {
  const maintain = schema.version >= MAINTAIN_SINCE ? ["maintain"] : [];
  return [
    run(`revoke create on schema ${schema.name} from public`),
    run(`revoke all on all tables in schema ${schema.name} from public, ${role}`),
    run(`grant usage on schema ${schema.name} to ${role}`),
    run(`grant usage, select, update on all sequences in schema ${schema.name} to ${role}`),
    ...maintain.map((one) => run(`grant ${one} on all tables in schema ${schema.name} to ${role}`)),
  ];
}

function tableGrants(grants: Grants, role: string): Statement[] {
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ["select", grants.readOnly],
    ["select, insert", grants.appendOnly],
    ["select, insert, update", grants.withoutDelete],
    ["select, insert, update, delete", grants.others],
  ];
  return parts
    .filter(([, tables]) => tables.length > 0)
    .map(([privileges, tables]) => run(`grant ${privileges} on ${tables.join(", ")} to ${role}`));
}
