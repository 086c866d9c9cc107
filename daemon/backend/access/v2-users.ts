import type { FastifyInstance, FastifyRequest } from 'fastify';
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
import type { User } from './credentials.ts';
import { V2_PREFIX, hasScope } from './principal.ts';
import { actorOf } from './actor.ts';
import { parseBody, readBody, validateBoth, validator } from '../http/json-body.ts';
import type { ApiParts } from '../http/parts.ts';
import { pathName } from '../http/path-name.ts';
import { needs, routes } from '../http/route.ts';
import { notFound } from '../http/v2-errors.ts';
import { sendObject } from '../http/v2-object-answer.ts';
import { behind, sendObjects, type ObjectSource } from '../http/v2-object-list.ts';

const validateUser = validator(submittedUserSchema);
const validatePassword = validator(submittedPasswordSchema);
const validateChange = validator(changedPasswordSchema);
const validateGroup = validator(groupSchema);

const USERS = `${V2_PREFIX}/users`;

/** Users, for administrators (completion 1.17), and one's own password. Who is deleted is disabled, as at the peer. */
export function userRoutes(app: FastifyInstance, { authenticator, users, registry }: ApiParts): void {
  const source: ObjectSource<V2User> = {
    fieldRoot: 'user',
    list: (_none, after) => [behind([...registry.credentials.users.values()].map(shownUser), after, keyOf)],
    keyOf,
    labelsOf: () => ({}),
  };

  routes(app, USERS, {
    GET: needs('admin', (request, reply) => sendObjects(request, reply, [''], source)),

    POST: needs('admin', async (request, reply) => {
      const user = readBody(request, validateUser);
      await users.create(user, actorOf(request));
      return reply.code(201).header('Location', `${USERS}/${user.username}`).send();
    }),
  });

  routes(app, `${USERS}/:user`, {
    GET: needs('self', (request, reply) => {
      const user = registry.credentials.users.get(pathName(request, 'user'));
      if (user === undefined) throw notFound();
      return sendObject(request, reply, shownUser(user));
    }),

    PUT: needs('admin', async (request, reply) => {
      await users.put(userOfPath(request), actorOf(request));
      return reply.code(201).send();
    }),

    DELETE: needs('admin', async (request, reply) => {
      await users.setDisabled(pathName(request, 'user'), true, actorOf(request));
      return reply.code(204).send();
    }),
  });

  routes(app, `${USERS}/:user/reinstate`, {
    PUT: needs('admin', async (request, reply) => {
      await users.setDisabled(pathName(request, 'user'), false, actorOf(request));
      return reply.code(201).send();
    }),
  });

  routes(app, `${USERS}/:user/password`, {
    PUT: needs('self', async (request, reply) => {
      const name = pathName(request, 'user');
      const body = parseBody(request);
      const next =
        hasScope(request.principal, 'admin') && !isChange(body.value)
          ? validateBoth(body, validatePassword)
          : await proven(request, name, validateBoth(body, validateChange));
      await users.setPassword(name, next, actorOf(request));
      return reply.code(201).send();
    }),
  });

  routes(app, `${USERS}/:user/reset_password`, {
    PUT: needs('admin', async (request, reply) => {
      await users.setPassword(pathName(request, 'user'), readBody(request, validatePassword), actorOf(request));
      return reply.code(201).send();
    }),
  });

  /** The next password of somebody who knows the one before. */
  async function proven(
    { caller }: FastifyRequest,
    user: string,
    { password, password_hash }: ChangedPassword,
  ): Promise<SubmittedPassword> {
    if (!registry.credentials.users.has(user)) throw notFound();
    if (await authenticator.isPasswordOf({ user, password }, caller)) return { password_hash };
    throw new MonError('invalid', `password: is not the current password of ${user}`);
  }

  routes(app, `${USERS}/:user/groups`, {
    DELETE: needs('admin', async (request, reply) => {
      await users.setGroups(pathName(request, 'user'), () => [], actorOf(request));
      return reply.code(204).send();
    }),
  });

  routes(app, `${USERS}/:user/groups/:group`, {
    PUT: needs('admin', async (request, reply) => {
      const group = groupOfPath(request);
      const join = (groups: readonly string[]): readonly string[] => [...new Set([...groups, group])];
      await users.setGroups(pathName(request, 'user'), join, actorOf(request));
      return reply.code(201).send();
    }),

    DELETE: needs('admin', async (request, reply) => {
      const group = groupOfPath(request);
      const leave = (groups: readonly string[]): readonly string[] => groups.filter((one) => one !== group);
      await users.setGroups(pathName(request, 'user'), leave, actorOf(request));
      return reply.code(204).send();
    }),
  });
}

/** Whether a body names the password as it is besides the next one. */
function isChange(body: unknown): boolean {
  const { password, password_hash: hash } = (body ?? {}) as Readonly<Record<string, unknown>>;
  return Boolean(password) && Boolean(hash);
}

function keyOf({ username }: V2User): readonly string[] {
  return [username];
}

/** Without the hash of the password, which only a dump holds. */
function shownUser({ username, groups, disabled }: User): V2User {
  return { username, groups, disabled };
}

function groupOfPath({ params }: FastifyRequest): string {
  return validateGroup((params as { readonly group: string }).group);
}

/** @throws MonError `invalid` when the body is of another user */
function userOfPath(request: FastifyRequest): SubmittedUser {
  const user = readBody(request, validateUser);
  const name = pathName(request, 'user');
  if (user.username !== name)
    throw new MonError('invalid', `the user ${user.username} does not match the path: ${name}`);
  return user;
}
