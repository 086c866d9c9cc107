import { describe, expect, onTestFinished, test } from 'vitest';
import { ApiKeys } from '../../../../daemon/backend/access/api-keys.ts';
import { RoleGuard } from '../../../../daemon/backend/access/role-guard.ts';
import { Users } from '../../../../daemon/backend/access/users.ts';
import { ApiCommands } from '../../../../daemon/backend/audit/api-commands.ts';
import { BACKEND_ACTOR } from '../../../../daemon/backend/model/audit/mutations.ts';
import { DefinitionChanges } from '../../../../daemon/backend/definitions/commands.ts';
import { Namespaces } from '../../../../daemon/backend/namespaces/commands.ts';
import { Stashes } from '../../../../daemon/backend/stashes/commands.ts';
import { SCOPES } from '../../../../shared/schemas/scope.ts';
import { v2HookSchema, type V2Hook } from '../../../../shared/schemas/v2/hook.ts';
import { HandlingRig } from '../../../support/handling-rig.ts';

async function openRig(): Promise<HandlingRig> {
  const rig = await HandlingRig.open();
  onTestFinished(() => rig[Symbol.asyncDispose]());
  return rig;
}

function aUser(username: string): Parameters<Users['put']>[0] {
  return { username, password: 'long enough', groups: [] };
}

const TOO_MANY = {
  code: 'unavailable',
  message: expect.stringMatching(/^the limit of 2 .* is reached: delete some first$/) as string,
};

describe('the limits of objects', () => {
  test('the stash limit rejects a new stash, but an existing stash can be replaced, and a deletion frees space', async () => {
    const stashes = new Stashes((await openRig()).batcher, 2);
    const put = (path: string, namespace = 'default'): Promise<void> => stashes.put(namespace, { path, content: {} });
    await put('a');
    await put('b');
    await expect(put('c')).rejects.toMatchObject(TOO_MANY);
    await put('b');
    await put('c', 'shop');
    await stashes.remove('default', 'a');
    await put('c');
  });

  test('the namespace limit rejects a new namespace, but not an existing namespace, and a deletion frees space', async () => {
    const { batcher, registry } = await openRig();
    const namespaces = new Namespaces(batcher, 2);
    const put = (name: string): Promise<void> => namespaces.put(name, () => undefined, BACKEND_ACTOR);
    expect(registry.declared.names()).toEqual(['default']);
    await put('shop');
    await expect(put('depot')).rejects.toMatchObject(TOO_MANY);
    await put('shop');
    await namespaces.remove('shop', () => undefined, BACKEND_ACTOR);
    await put('depot');
  });

  test('the user limit rejects a new user, but an existing user can be changed', async () => {
    const { batcher } = await openRig();
    const parts = {
      batcher,
      hashPassword: (password: string) => Promise.resolve(password),
      isAdminConfigured: () => true,
    };
    const users = new Users({ ...parts, usersMax: 2 });
    await users.create(aUser('ann'), BACKEND_ACTOR);
    await users.put(aUser('bob'), BACKEND_ACTOR);
    const refused = { code: 'unavailable', message: 'the limit of 2 users is reached: delete some first' };
    await expect(users.create(aUser('eve'), BACKEND_ACTOR)).rejects.toMatchObject(refused);
    await expect(users.put(aUser('eve'), BACKEND_ACTOR)).rejects.toMatchObject(refused);
    await users.put(aUser('bob'), BACKEND_ACTOR);
  });

  test('the API key limit rejects a new key, but an existing key can be changed, and a revocation frees space', async () => {
    const { batcher, clock, log } = await openRig();
    using keys = new ApiKeys({ batcher, clock, log, configuredUser: () => 'ops', keysMax: 2 });
    const granter = { actor: { ...BACKEND_ACTOR, who: 'ops' }, scopes: new Set(SCOPES) };
    const grant = async (): Promise<string> => (await keys.grant({ username: 'ops' }, granter)).stored.id;
    const first = await grant();
    const second = await grant();
    await expect(grant()).rejects.toMatchObject({
      code: 'unavailable',
      message: 'the limit of 2 API keys is reached: revoke some first',
    });
    await keys.change(second, granter, () => ({ username: 'ops', metadata: { name: second } }));
    await keys.revoke(first, BACKEND_ACTOR);
    await grant();
  });

  test('the definition limit rejects a new definition, but no existing definition, and a deletion frees space', async () => {
    const { batcher, definitions } = await openRig();
    const commands = new ApiCommands(() => ({ isAllowed: true, directories: [] }));
    const changes = new DefinitionChanges({ batcher, definitions, commands, roles: new RoleGuard(() => true) }, 2);
    const write = (kind: 'hooks', name: string): Promise<V2Hook> =>
      changes.write(
        kind,
        'default',
        name,
        () => v2HookSchema.parse({ metadata: { name, namespace: 'default' }, command: 'true', timeout: 5 }) as V2Hook,
        BACKEND_ACTOR,
      );
    await write('hooks', 'a');
    await write('hooks', 'b');
    await expect(write('hooks', 'c')).rejects.toMatchObject(TOO_MANY);
    await write('hooks', 'b');
    await changes.remove('hooks', 'default', 'a', () => undefined, BACKEND_ACTOR);
    await write('hooks', 'c');
  });
});
