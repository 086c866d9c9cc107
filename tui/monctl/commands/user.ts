import { takes } from '../flags.ts';
import type { V2Object } from '../../../shared/client/v2-client.ts';
import { GROUP_SCOPES } from '../../../shared/domain/v2/groups.ts';
import { carryOut, CHANGE_OPTIONS, DELETE_OPTIONS, removeObject } from '../change.ts';
import type { Command } from '../command.ts';
import { flagAt, textAt, textsAt, without } from '../v2-object.ts';
import { removed } from '../found.ts';
import { LIST_OPTIONS, showList } from '../list.ts';
import { readSecret, secretOption } from '../secret.ts';

const GROUPS = Object.keys(GROUP_SCOPES);
const GROUPS_TEXT = `What a user may do follows from the groups: ${Object.entries(GROUP_SCOPES)
  .map(([group, scopes]) => `${group} (${scopes.includes('admin') ? 'everything' : scopes.join(', ')})`)
  .join('; ')}.`;

const list: Command = {
  words: ['user', 'list'],
  summary: 'List the users by name',
  details: ['The user of the configuration file (api.user) is not among them.'],
  options: LIST_OPTIONS,
  examples: [['monctl user list', 'who may log in']],
  async run(call) {
    await showList<V2Object>(call, {
      noun: 'users',
      columns: () => [
        { title: 'USER', text: (user) => textAt(user, 'username') },
        { title: 'ENABLED', text: (user) => (flagAt(user, 'disabled') ? 'no' : 'yes') },
        { title: 'GROUPS', text: (user) => textsAt(user, 'groups').join(', ') },
      ],
      key: (user) => textAt(user, 'username'),
      value: (user) => without(user, 'password_hash'),
      fetch: () => call.v2().list(['users']),
    });
  },
};

const create: Command = {
  words: ['user', 'create'],
  summary: 'Make a user who may log in with a password',
  details: [GROUPS_TEXT],
  operands: ['NAME'],
  options: {
    groups: takes('NAME,...', 'what the user belongs to', { completes: GROUPS }),
    'password-file': secretOption('password'),
  },
  examples: [['monctl user create alice --groups operators', 'asks for the password']],
  async run(call) {
    const [username = ''] = call.operands;
    const groups = call.flags.list('groups') ?? [];
    const password = await readSecret(call, { option: 'password-file', what: `password of ${username}`, isNew: true });
    await call.v2().create(['users'], { username, password, groups });
    await call.output.show({ username, groups }, () => 'Created');
  },
};

const disable: Command = {
  words: ['user', 'disable'],
  summary: 'Disable a user',
  details: [
    'The sessions of the user end for good. API keys do not work until the user is enabled again: revoke those that nobody should have.',
    'The name stays, for what the user has done.',
  ],
  operands: ['NAME'],
  completes: ['user'],
  options: DELETE_OPTIONS,
  examples: [['monctl user disable bob', 'somebody who has left']],
  async run(call) {
    const [username = ''] = call.operands;
    await removeObject(call, {
      path: ['users', username],
      missing: `there is no user ${username}: see monctl user list`,
      question: `disable the user ${username}`,
      value: { username, disabled: true },
      said: 'Disabled',
    });
  },
};

const enable: Command = {
  words: ['user', 'enable'],
  summary: 'Enable a user who was disabled',
  operands: ['NAME'],
  completes: ['user'],
  options: CHANGE_OPTIONS,
  examples: [['monctl user enable bob', 'somebody who is back']],
  async run(call) {
    const [username = ''] = call.operands;
    await carryOut(call, {
      send: (_api, v2) => v2.put(['users', username, 'reinstate'], {}),
      effects: () => [`the user ${username} could log in again`],
      value: () => ({ username, disabled: false }),
      said: () => 'Enabled',
    });
  },
};

const logOut: Command = {
  words: ['user', 'log-out'],
  summary: 'End the sessions of a user',
  details: [
    'The tokens of the user, and what was opened with them or with the password, end at once. API keys stay: see monctl api-key revoke.',
    'Whoever has the password can log in again: see monctl user set-password.',
  ],
  operands: ['NAME'],
  completes: ['user'],
  options: CHANGE_OPTIONS,
  examples: [['monctl user log-out bob', 'a notebook was stolen']],
  async run(call) {
    const [username = ''] = call.operands;
    await carryOut(call, {
      send: (_api, v2) =>
        removed(v2.remove(['users', username, 'sessions']), `there is no user ${username}: see monctl user list`),
      effects: () => [`the sessions of ${username} would end`],
      value: () => ({ username, logged_out: true }),
      said: () => 'Logged out',
    });
  },
};

const setPassword: Command = {
  words: ['user', 'set-password'],
  summary: 'Set the password of a user',
  details: ['It ends all sessions of the user, and none of the API keys.'],
  operands: ['NAME'],
  completes: ['user'],
  options: { 'password-file': secretOption('new password') },
  examples: [
    ['monctl user set-password alice', 'asks for it'],
    ['pass show mon/alice | monctl user set-password alice --password-file -', 'from a password store'],
  ],
  async run(call) {
    const [username = ''] = call.operands;
    const password = await readSecret(call, {
      option: 'password-file',
      what: `new password of ${username}`,
      isNew: true,
    });
    await call.v2().put(['users', username, 'password'], { username, password });
    await call.output.show({ username, updated: true }, () => 'Updated');
  },
};

export const userCommands: readonly Command[] = [list, create, disable, enable, logOut, setPassword];
