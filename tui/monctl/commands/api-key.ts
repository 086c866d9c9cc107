import { valueOption } from '../flags.ts';
import type { V2Object } from '../../../shared/client/v2-client.ts';
import { safeText } from '../../../shared/domain/terminal-text.ts';
import { SCOPES } from '../../../shared/schemas/scope.ts';
import { DELETE_OPTIONS, removeObject } from '../change.ts';
import type { Command } from '../command.ts';
import { withoutUndefined } from '../../../shared/domain/without-undefined.ts';
import { nameOf, readNumberAttribute, readTextAttribute, readTextsAttribute, omitAttribute } from '../v2-object.ts';
import { LIST_OPTIONS, showList } from '../list.ts';
import { recordText, type Column } from '../table.ts';
import { timeWithAge, timestampText } from '../times.ts';

const grant: Command = {
  words: ['api-key', 'create'],
  summary: 'Create an API key for a user',
  details: ['The API key is shown only once: the backend stores only a hash.'],
  operands: ['USER'],
  options: {
    scopes: valueOption('NAME,...', `scopes of the API key: ${SCOPES.join(', ')}; default: all scopes of the user`, {
      completes: SCOPES,
    }),
    namespace: valueOption('NAME', 'restrict the API key to this namespace; default: all namespaces', {
      completes: 'namespace',
    }),
    expire: valueOption('DURATION', 'lifetime of the API key; default: unlimited'),
    description: valueOption('TEXT', 'purpose of the API key'),
  },
  examples: [['monctl api-key create grafana --scopes read --expire 90d', 'read-only, for 90 days']],
  async run(call) {
    const { flags, output } = call;
    const [username = ''] = call.operands;
    const key = withoutUndefined({
      metadata: {},
      username,
      scopes: flags.list('scopes'),
      // The namespace of the context is ignored: an API key is restricted to a namespace only by the explicit option.
      namespace: flags.value('namespace'),
      expire: flags.lifetime('expire'),
      description: flags.value('description'),
    });
    const { body, location } = await call.v2().create(['apikeys'], key);
    const secret = readTextAttribute(body, 'key');
    // Sensu Go before 7.0 sends no separate secret: the name of the API key is the secret, and only its path is
    // returned.
    if (secret === '') return output.show({ location }, () => safeText(`Created: ${location ?? ''}`));
    await output.show(omitAttribute(body, 'hash'), () =>
      [
        'Created a new API key. Save this key as it will not be retrievable later!',
        recordText(
          [
            ['Name', nameOf(body)],
            ['Key', secret],
          ],
          output.look,
        ),
      ].join('\n'),
    );
  },
};

const list: Command = {
  words: ['api-key', 'list'],
  summary: 'List the API keys without their secrets',
  options: LIST_OPTIONS,
  examples: [['monctl api-key list', 'owner, purpose and last use of each key']],
  async run(call) {
    await showList<V2Object>(call, {
      noun: 'API keys',
      columns: apiKeyColumns,
      key: nameOf,
      value: (key) => omitAttribute(key, 'hash'),
      fetch: () => call.v2().list(['apikeys']),
    });
  },
};

const revoke: Command = {
  words: ['api-key', 'revoke'],
  summary: 'Revoke an API key',
  details: ['Open connections that use the API key are closed at once.'],
  operands: ['NAME'],
  completes: ['api-key'],
  options: DELETE_OPTIONS,
  examples: [['monctl api-key revoke 0c1d2e3f4a5b6c7d', 'by the name from `monctl api-key list`']],
  async run(call) {
    const [name = ''] = call.operands;
    await removeObject(call, {
      path: ['apikeys', name],
      notFoundMessage: `there is no API key ${name}: see monctl api-key list`,
      question: `revoke the API key ${name}`,
      value: { name, deleted: true },
    });
  },
};

export const apiKeyCommands: readonly Command[] = [grant, list, revoke];

function apiKeyColumns(nowMs: number): readonly Column<V2Object>[] {
  return [
    { title: 'NAME', text: nameOf },
    { title: 'USER', text: (key) => readTextAttribute(key, 'username') },
    { title: 'SCOPES', text: (key) => readTextsAttribute(key, 'scopes').join(', ') },
    { title: 'NAMESPACE', text: (key) => readTextAttribute(key, 'namespace') || 'all' },
    { title: 'EXPIRES', text: (key) => momentText(readNumberAttribute(key, 'expires_at')) },
    {
      title: 'LAST USED',
      text: (key) => {
        const used = readNumberAttribute(key, 'last_used') ?? 0;
        return used === 0 ? 'never' : timeWithAge(used, nowMs);
      },
    },
    { title: 'DESCRIPTION', text: (key) => readTextAttribute(key, 'description') },
  ];
}

function momentText(seconds: number | undefined): string {
  return seconds === undefined || seconds === 0 ? 'never' : timestampText(seconds);
}
