import { valueOption } from '../flags.ts';
import type { V2Object } from '../../../shared/client/v2-client.ts';
import { GROUP_SCOPES } from '../../../shared/domain/v2/groups.ts';
import { carryOut, CHANGE_OPTIONS, DELETE_OPTIONS, removeObject } from '../change.ts';
import type { Command } from '../command.ts';
import { readFlagAttribute, readTextAttribute, readTextsAttribute, omitAttribute } from '../v2-object.ts';
import { requireRemoved } from '../require-existing.ts';
import { LIST_OPTIONS, showList } from '../list.ts';
import { readSecret, secretOption } from '../secret.ts';

const GROUP_NAMES = Object.keys(GROUP_SCOPES);
const GROUPS_TEXT = `Groups decide the rights of a user: ${Object.entries(GROUP_SCOPES)
  .map(([group, scopes]) => `${group} (${scopes.includes('admin') ? 'everything' : scopes.join(', ')})`)
  .join('; ')}.`;

const list: Command = {
  words: ['user', 'list'],
  summary: 'List users, sorted by name',
  details: ['The user in the configuration file (api.user) is not listed.'],
  options: LIST_OPTIONS,
  examples: [['monctl user list', 'all users']],
  async run(call) {
    await showList<V2Object>(call, {
      noun: 'users',
      columns: () => [
        { title: 'USER', text: (user) => readTextAttribute(user, 'username') },
        { title: 'ENABLED', text: (user) => (readFlagAttribute(user, 'disabled') ? 'no' : 'yes') },
        { title: 'GROUPS', text: (user) => readTextsAttribute(user, 'groups').join(', ') },
      ],
      key: (user) => readTextAttribute(user, 'username'),
      value: (user) => omitAttribute(user, 'password_hash'),
      fetch: () => call.v2().list(['users']),
    });
  },
};

const create: Command = {
  words: ['user', 'create'],
  summary: 'Create a user with a password',
  details: [GROUPS_TEXT],
  operands: ['NAME'],
  options: {
    groups: valueOption('NAME,...', 'groups of the user', { completes: GROUP_NAMES }),
    'password-file': secretOption('password'),
  },
  examples: [['monctl user create alice --groups operators', 'prompts for the password']],
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
    'All sessions of the user end. API keys of the user stop working until the user is enabled again: revoke keys that should never work again.',
    'The name is kept for the audit trail.',
  ],
  operands: ['NAME'],
  completes: ['user'],
  options: DELETE_OPTIONS,
  examples: [['monctl user disable bob', 'a user who has left']],
  async run(call) {
    const [username = ''] = call.operands;
    await removeObject(call, {
      path: ['users', username],
      notFoundMessage: `there is no user ${username}: see monctl user list`,
      question: `disable the user ${username}`,
      value: { username, disabled: true },
      successMessage: 'Disabled',
    });
  },
};

const enable: Command = {
  words: ['user', 'enable'],
  summary: 'Enable a disabled user',
  operands: ['NAME'],
  completes: ['user'],
  options: CHANGE_OPTIONS,
  examples: [['monctl user enable bob', 'a user who is back']],
  async run(call) {
    const [username = ''] = call.operands;
    await carryOut(call, {
      send: (_api, v2) => v2.put(['users', username, 'reinstate'], {}),
      effects: () => [`the user ${username} could log in again`],
      value: () => ({ username, disabled: false }),
      successText: () => 'Enabled',
    });
  },
};

const logOut: Command = {
  words: ['user', 'log-out'],
  summary: 'End all sessions of a user',
  details: [
    'Tokens of the user become invalid and connections are closed at once. API keys keep working: see "monctl api-key revoke".',
    'The user can log in again with the password: see "monctl user set-password".',
  ],
  operands: ['NAME'],
  completes: ['user'],
  options: CHANGE_OPTIONS,
  examples: [['monctl user log-out bob', 'a stolen laptop']],
  async run(call) {
    const [username = ''] = call.operands;
    await carryOut(call, {
      send: (_api, v2) =>
        requireRemoved(
          v2.remove(['users', username, 'sessions']),
          `there is no user ${username}: see monctl user list`,
        ),
      effects: () => [`the sessions of ${username} would end`],
      value: () => ({ username, logged_out: true }),
      successText: () => 'Logged out',
    });
  },
};

const setPassword: Command = {
  words: ['user', 'set-password'],
  summary: 'Set the password of a user',
  details: ['All sessions of the user end; API keys keep working.'],
  operands: ['NAME'],
  completes: ['user'],
  options: { 'password-file': secretOption('new password') },
  examples: [
    ['monctl user set-password alice', 'prompts for the password'],
    ['pass show mon/alice | monctl user set-password alice --password-file -', 'from a password manager'],
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
