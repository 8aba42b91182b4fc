import type { Operator } from "../../domain/operators/operator.ts";
import type { Person, PersonState } from "../../domain/people/person.ts";
import { logControl } from "../../storage/audit/control-log.ts";
import { removeInvitation } from "../../storage/people/invitations.ts";
import {
  findPerson,
  type ListedPerson,
  listPeople,
  lockAdministrators,
  lockPerson,
  updatePerson,
} from "../../storage/people/people.ts";
import { endSessions } from "../../storage/people/sessions.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";
import { requireOperator } from "../operators/require-operator.ts";
import { Refusal } from "../refusal.ts";
import {
  isWithin,
  personNotFound,
  requireLanguage,
  requireName,
  requireRoles,
} from "./requirements.ts";

export interface ChangePerson {
  readonly personId: string;
  readonly by: Operator;
  readonly name?: string | undefined;
  readonly roles?: readonly string[] | undefined;
  readonly state?: "active" | "disabled" | undefined;
  readonly language?: string | undefined;
  readonly reason?: string | undefined;
}

/** Lists the people whom the actor may see: of their merchant, or as the operator all. */
export const listPeopleFor = (
  { database }: Pick<Deps, "database">,
  by: Pick<Operator, "console">,
): Promise<readonly ListedPerson[]> => listPeople(database, by.console?.merchantId ?? null);

/** Reads a person whom the actor may see. Refuses NOT_FOUND. */
export async function readPerson(
  { database }: Pick<Deps, "database">,
  { personId, by }: { readonly personId: string; readonly by: Pick<Operator, "console"> },
): Promise<ListedPerson> {
  const person = await findPerson(database, personId);
  if (!person || !isWithin(by, person)) throw personNotFound();
  return person;
}

/**
 * Changes a person's name, roles, state or language. A disabled person is signed out everywhere in the same database
 * transaction. Refuses NOT_FOUND, INVALID_INPUT, and PERSON_CONFLICT for one's own roles and the last administrator.
 */
export async function changePerson(
  deps: Pick<Deps, "database" | "environment">,
  command: ChangePerson,
): Promise<void> {
  const by = requireOperator(deps, command.by);
  await deps.database.transaction(async (tx) => {
    const administrators = await lockAdministrators(tx);
    const before = await lockPerson(tx, command.personId);
    if (!before || !isWithin(by, before)) throw personNotFound();
    const after = changed(before, command);
    requireAllowed(before, after, { by, administrators });
    await updatePerson(tx, before.id, after);
    if (after.state === "disabled") await shutOut(tx, before.id);
    await logControl(tx, {
      operator: by,
      action: "change_person",
      subject: before.email,
      details: { reason: command.reason ?? null },
      before: shown(before),
      after: shown(after),
    });
  });
}

const shown = ({ name, roles, state, language }: Person) => ({
  name,
  roles: roles.join(", "),
  state,
  language,
});

function changed(before: Person, command: ChangePerson): Person {
  const { name = before.name, roles, language = before.language } = command;
  const state = stateAfter(before, command.state);
  return {
    ...before,
    name: requireName(name),
    roles: roles ? requireRoles(roles, before) : before.roles,
    state,
    language: requireLanguage(language),
  };
}

/** A person who has not accepted an invitation stays invited. One who is enabled again needs a new link. */
function stateAfter({ state }: Person, wanted: "active" | "disabled" | undefined): PersonState {
  if (wanted === undefined || wanted === "disabled") return wanted ?? state;
  return state === "disabled" ? "invited" : state;
}

/** The person who makes the change, and the administrators that there are before it. */
interface PersonChangeContext {
  readonly by: Operator;
  readonly administrators: readonly string[];
}

function requireAllowed(
  before: Person,
  after: Person,
  { by, administrators }: PersonChangeContext,
): void {
  const isOwn = by.console?.personId === before.id;
  const keeps = after.state === before.state && after.roles.join() === before.roles.join();
  if (isOwn && !keeps) {
    throw new Refusal("PERSON_CONFLICT", {
      message: "You cannot change your own roles or state. Ask another administrator.",
    });
  }
  const stays = after.state === "active" && after.roles.includes("administrator");
  const isLast = administrators.length === 1 && administrators[0] === before.id;
  if (isLast && !stays) {
    throw new Refusal("PERSON_CONFLICT", {
      message: "This is the last administrator. Make another person administrator first.",
    });
  }
}

async function shutOut(tx: Tx, personId: string): Promise<void> {
  await endSessions(tx, personId);
  await removeInvitation(tx, personId);
}

/** Ends every session of a person. Refuses NOT_FOUND. */
export async function endSessionsOf(
  deps: Pick<Deps, "database" | "environment">,
  command: { readonly personId: string; readonly by: Operator },
): Promise<void> {
  const by = requireOperator(deps, command.by);
  await deps.database.transaction(async (tx) => {
    const person = await lockPerson(tx, command.personId);
    if (!person || !isWithin(by, person)) throw personNotFound();
    const ended = await endSessions(tx, person.id);
    await logControl(tx, {
      operator: by,
      action: "end_sessions",
      subject: person.email,
      before: { sessions: ended },
      after: { sessions: 0 },
    });
  });
}
