import type { FastifyRequest } from 'fastify';
import { V2_API } from '../../../shared/api/v2.ts';
import { MonError } from '../../../shared/errors.ts';
import {
  changedPasswordSchema,
  groupSchema,
  submittedPasswordSchema,
  submittedUserSchema,
  type ChangedPassword,
  type V2User,
  type SubmittedPassword,
  type SubmittedUser,
} from '../../../shared/schemas/v2/user.ts';
import type { CredentialRegistry, User } from '../model/access/credentials.ts';
import type { Authenticator } from '../access/authenticator.ts';
import { hasScope } from '../access/principal.ts';
import type { Sessions } from '../access/sessions.ts';
import type { EscalationGuard } from '../access/escalation-guard.ts';
import type { UserGuard, Users } from '../access/users.ts';
import { actorOf } from '../access/actor.ts';
import { parseBody, readBody, validateParsedBody, schemaValidator } from '../http/json-body.ts';
import { pathName } from '../http/path-name.ts';
import type { V2Handlers } from '../http/route.ts';
import { doesNotExist } from '../http/v2-errors.ts';
import { changeHandler, sendObject } from '../http/v2-object-response.ts';
import { objectsAfterKey, sendObjects, type ObjectSource } from '../http/v2-object-list.ts';

const validateUser = schemaValidator(submittedUserSchema);
const validatePassword = schemaValidator(submittedPasswordSchema);
const validateChange = schemaValidator(changedPasswordSchema);
const validateGroup = schemaValidator(groupSchema);

interface UserDependencies {
  readonly authenticator: Authenticator;
  readonly registry: { readonly credentials: CredentialRegistry };
  readonly users: Users;
  readonly sessions: Pick<Sessions, 'logOut'>;
  readonly escalation: EscalationGuard;
}

/**
 * Returns the routes by which administrators manage users, and users change their own password (completion 1.17).
 * Deleting a user only disables it, as in Sensu Go.
 */
export function usersOnV2({
  authenticator,
  users,
  sessions,
  registry,
  escalation,
}: UserDependencies): V2Handlers<'users'> {
  const source: ObjectSource<V2User> = {
    fieldRoot: 'user',
    list: (_none, after) => [objectsAfterKey([...registry.credentials.users.values()].map(shownUser), after, keyOf)],
    keyOf,
    labelsOf: () => ({}),
  };

  const guardOf =
    ({ admission }: FastifyRequest): UserGuard =>
    (before, after) =>
      escalation.refuseUser(admission(), before, after);

  /**
   * Returns the hash of the new password if the current password is correct.
   *
   * @throws MonError `not_found` if there is no such user, `invalid` if the password is wrong
   */
  async function newHashIfProven(
    { caller }: FastifyRequest,
    user: string,
    { password, password_hash }: ChangedPassword,
  ): Promise<SubmittedPassword> {
    if (!registry.credentials.users.has(user)) throw doesNotExist();
    if (await authenticator.isPasswordOf({ user, password }, caller)) return { password_hash };
    throw new MonError('invalid', `password: is not the current password of ${user}`);
  }

  return {
    list: (request, reply) => sendObjects(request, reply, [''], source),
    create: async (request, reply) => {
      const user = readBody(request, validateUser);
      await users.create(user, actorOf(request), guardOf(request));
      return reply.header('Location', `${V2_API.users.list.path}/${user.username}`).send();
    },
    get: (request, reply) => {
      const user = registry.credentials.users.get(pathName(request, 'user'));
      if (user === undefined) throw doesNotExist();
      return sendObject(request, reply, shownUser(user));
    },
    put: changeHandler((request, actor) => users.put(userOfPath(request), actor, guardOf(request))),
    disable: changeHandler((request, actor) => users.setDisabled(pathName(request, 'user'), true, actor)),
    reinstate: changeHandler((request, actor) =>
      users.setDisabled(pathName(request, 'user'), false, actor, guardOf(request)),
    ),
    setPassword: changeHandler(async (request, actor) => {
      const name = pathName(request, 'user');
      const body = parseBody(request);
      const next =
        hasScope(request.principal, 'admin') && !isChange(body.value)
          ? validateParsedBody(body, validatePassword)
          : await newHashIfProven(request, name, validateParsedBody(body, validateChange));
      await users.setPassword(name, next, actor);
    }),
    resetPassword: changeHandler((request, actor) =>
      users.setPassword(pathName(request, 'user'), readBody(request, validatePassword), actor, guardOf(request)),
    ),
    logOut: changeHandler((request, actor) => sessions.logOut(pathName(request, 'user'), actor)),
    leaveGroups: changeHandler((request, actor) => users.setGroups(pathName(request, 'user'), () => [], actor)),
    joinGroup: changeHandler((request, actor) => {
      const group = groupOfPath(request);
      const joined = (groups: readonly string[]): string[] => [...new Set([...groups, group])];
      return users.setGroups(pathName(request, 'user'), joined, actor, guardOf(request));
    }),
    leaveGroup: changeHandler((request, actor) => {
      const group = groupOfPath(request);
      return users.setGroups(pathName(request, 'user'), (groups) => groups.filter((one) => one !== group), actor);
    }),
  };
}

/** True if a body contains the current password and the hash of a new password. */
function isChange(body: unknown): boolean {
  const { password, password_hash: hash } = (body ?? {}) as Readonly<Record<string, unknown>>;
  return Boolean(password) && Boolean(hash);
}

function keyOf({ username }: V2User): readonly string[] {
  return [username];
}

/**
 * Returns a user as the API shows it. The hash of the password, which only a dump contains, is omitted, and so is an
 * empty list of groups, as in Sensu Go.
 */
function shownUser({ username, groups, disabled }: User): V2User {
  return { username, ...(groups.length > 0 ? { groups } : {}), disabled };
}

function groupOfPath({ params }: FastifyRequest): string {
  return validateGroup((params as { readonly group: string }).group);
}

/**
 * @returns the user in the body
 * @throws MonError `invalid` if the names in body and path differ
 */
function userOfPath(request: FastifyRequest): SubmittedUser {
  const user = readBody(request, validateUser);
  const name = pathName(request, 'user');
  if (user.username !== name)
    throw new MonError('invalid', `the user in the body, ${user.username}, differs from the user in the path, ${name}`);
  return user;
}
