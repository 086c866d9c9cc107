import { describe, expect, test } from 'vitest';
import type { Finding, RuleVerdict } from '../../../../shared/schemas/plan.ts';
import { CERTIFICATE, NAMED_CERTIFICATE } from '../../../support/certificates.ts';
import { startCluster } from '../../../support/cluster-peer.ts';
import { NOW, runMonctl, type MonctlRun } from '../../../support/run-monctl.ts';
import { aFile, dumpFile, entities, snapshotFile, type Dumped } from '../../../support/upgrade-files.ts';

/** End-to-end tests of each rule: once where it fires, and once where it does not (reference 9.3, completion 1.19). */

const DAYS_AGO = NOW - 3 * 24 * 3600;
const CLUSTER_DUMP = new URL('../../../support/sensu-go-cluster.yml', import.meta.url).pathname;

type Findings = Readonly<Record<string, { readonly verdict: RuleVerdict; readonly text: string }>>;

function findingsOf({ stdout }: MonctlRun): Findings {
  const { findings } = JSON.parse(stdout) as { readonly findings: readonly Finding[] };
  return Object.fromEntries(
    findings.map(({ rule, verdict, evidence, remedy }) => [
      rule,
      { verdict, text: [...evidence, ...remedy].join('\n') },
    ]),
  );
}

async function checkDump(from: string, to: string, dump: string, ...line: readonly string[]): Promise<Findings> {
  return findingsOf(
    await runMonctl([
      'upgrade',
      'check',
      '--offline',
      '--dump',
      dump,
      '--from',
      from,
      '--to',
      to,
      '-o',
      'json',
      ...line,
    ]),
  );
}

async function checkCluster(url: string, from: string, to: string, ...line: readonly string[]): Promise<Findings> {
  return findingsOf(
    await runMonctl(['upgrade', 'check', '--from', from, '--to', to, '-o', 'json', ...line], { MON_BACKEND: url }),
  );
}

/** Value of `passes` for a rule that depends only on the versions: it does not apply to an upgrade from `to` on. */
const OTHER_VERSION = 'other version';

const orphan: Dumped = { type: 'CheckConfig', metadata: { namespace: 'gone', name: 'db' }, spec: { command: 'true' } };
const pipeline: Dumped = { type: 'Pipeline', metadata: { namespace: 'default', name: 'incidents' } };

describe('an upgrade check of a dump', () => {
  test.each<{
    name: string;
    rule: string;
    from: string;
    to: string;
    fires: [verdict: RuleVerdict, says: string, objects: readonly Dumped[], line?: readonly string[]];
    passes: [objects: readonly Dumped[], line?: readonly string[]] | typeof OTHER_VERSION;
  }>([
    {
      name: '5.1.0: the state directory',
      rule: '5.1.0-state-dir',
      from: '5.0.1',
      to: '5.1.0',
      fires: ['warn', 'run this check on the machine of the backend', []],
      passes: OTHER_VERSION,
    },
    {
      name: '5.8.0: all backends stop together',
      rule: '5.8.0-stop-all',
      from: '5.7.0',
      to: '5.8.0',
      fires: ['warn', 'the number of backends is unknown', []],
      passes: OTHER_VERSION,
    },
    {
      name: '5.16.0: the entity limit',
      rule: '5.16.0-entity-limit',
      from: '5.15.0',
      to: '5.16.0',
      fires: ['block', '101 of 100 entities\nthe newest: default/web-100, default/web-99', entities(101)],
      passes: [entities(90)],
    },
    {
      name: '5.16.0: a number of entities a little below the limit',
      rule: '5.16.0-entity-limit',
      from: '5.15.0',
      to: '5.16.0',
      fires: ['warn', '91 of 100 entities', entities(91)],
      passes: [entities(200), ['--entity-limit', 'unlimited']],
    },
    {
      name: '5.16.0: a number of entities above the limit that the operator accepts',
      rule: '5.16.0-entity-limit',
      from: '5.15.0',
      to: '5.16.0',
      fires: ['warn', 'accepted by the operator', entities(101), ['--accept', 'entity-limit']],
      passes: [entities(101), ['--entity-limit', '500']],
    },
    {
      name: '6.0: a dump before the upgrade',
      rule: '6.0.0-dump',
      from: '5.21.0',
      to: '6.0.0',
      fires: ['warn', 'the live objects could not be counted', []],
      passes: OTHER_VERSION,
    },
    {
      name: '6.1.0: events in a relational database',
      rule: '6.1.0-event-migration',
      from: '6.0.0',
      to: '6.1.0',
      fires: ['warn', '50000 events: about 10 s', [], ['--event-store', 'relational', '--event-rows', '50000']],
      passes: [[], ['--event-store', 'relational', '--event-rows', '0']],
    },
    {
      name: '6.2.0: namespaces',
      rule: '6.2.0-namespaces',
      from: '6.1.4',
      to: '6.2.0',
      fires: ['block', 'the namespace gone does not exist, but has checks: db', [orphan]],
      passes: [[{ type: 'Namespace', spec: { name: 'gone' } }, orphan]],
    },
    {
      name: '6.4.0: certificates',
      rule: '6.4.0-certificates',
      from: '6.3.0',
      to: '6.4.0',
      fires: ['block', 'CommonName localhost is not among its Subject Alternative Names', [], ['--certificate', 'BAD']],
      passes: [[], ['--certificate', 'GOOD']],
    },
    {
      name: '6.5.0: agents and pipelines',
      rule: '6.5.0-pipelines',
      from: '6.4.0',
      to: '6.5.0',
      fires: [
        'warn',
        '1 pipelines; 1 of 1 agents below 6.5.0: default/web-0 (6.4.3)',
        [pipeline, ...entities(1, { sensu_agent_version: '6.4.3' })],
      ],
      passes: [[pipeline, ...entities(1)]],
    },
  ])(
    'the upgrade rule "$name" reports a finding or passes',
    async ({ rule, from, to, fires: [verdict, says, objects, line = []], passes }) => {
      const files: Readonly<Record<string, string>> = {
        BAD: await aFile('bad.pem', CERTIFICATE),
        GOOD: await aFile('good.pem', NAMED_CERTIFICATE),
      };
      const written = (words: readonly string[]): string[] => words.map((word) => files[word] ?? word);
      const fired = (await checkDump(from, to, await dumpFile(objects), ...written(line)))[rule];
      expect(fired).toMatchObject({ verdict, text: expect.stringContaining(says) });
      const [others, otherLine = []] = passes === OTHER_VERSION ? [objects] : passes;
      const path: [string, string] = passes === OTHER_VERSION ? [to, '6.9.0'] : [from, to];
      const verdictOf = (await checkDump(...path, await dumpFile(others), ...written(otherLine)))[rule]?.verdict;
      expect(verdictOf).toBe(passes === OTHER_VERSION ? undefined : 'pass');
    },
  );

  test('upgrade rule 6.0 rejects a dump that is old, truncated or of another kind', async () => {
    const [old, text] = [await dumpFile([], DAYS_AGO), await aFile('cut.yml', '# mon dump\ntype: CheckCon')];
    expect((await checkDump('5.21.0', '6.0.0', old))['6.0.0-dump']).toMatchObject({
      verdict: 'block',
      text: expect.stringContaining('72.0 h old'),
    });
    expect((await checkDump('5.21.0', '6.0.0', text))['6.0.0-dump']).toMatchObject({
      verdict: 'block',
      text: expect.stringContaining('cannot be restored'),
    });
  });

  test('upgrade rule 6.4.0 requires a fresh and valid snapshot and a confirmed relational backup', async () => {
    const dump = await dumpFile();
    const check = async (...line: string[]): Promise<unknown> =>
      (await checkDump('6.3.0', '6.4.0', dump, ...line))['6.4.0-store'];
    expect(await check()).toMatchObject({ verdict: 'block', text: expect.stringContaining('there is no snapshot') });
    expect(await check('--key-value-store', 'external')).toMatchObject({ verdict: 'warn' });
    expect(await check('--snapshot', await snapshotFile(DAYS_AGO))).toMatchObject({ verdict: 'block' });
    expect(await check('--snapshot', dump)).toMatchObject({
      verdict: 'block',
      text: expect.stringContaining('it is not a snapshot of a key-value store'),
    });
    const snapshot = await snapshotFile();
    expect(await check('--snapshot', snapshot)).toMatchObject({ verdict: 'warn' });
    const relational = ['--snapshot', snapshot, '--event-store', 'relational'];
    expect(await check(...relational)).toMatchObject({ verdict: 'block' });
    expect(await check(...relational, '--accept', 'relational-backup')).toMatchObject({ verdict: 'warn' });
  });

  test('the upgrade plan of a real cluster from its dump has every step in its order', async () => {
    const call = `upgrade plan --offline --dump ${CLUSTER_DUMP} --from 5.21.0 --to 6.5.0 --output json`;
    const { code, stdout, stderr } = await runMonctl(call.split(' '));
    expect(code).toBe(10);
    expect(stderr).toMatch(/^monctl: the upgrade is blocked: /);
    const plan = JSON.parse(stdout) as { readonly steps: readonly { readonly id: string }[] };
    expect(plan.steps.map(({ id }) => id)).toEqual([
      'rules',
      'certificates',
      'dump',
      'snapshot',
      'install',
      'daemon-reload',
      'restart-agents',
      'restart-backend',
      'backends-agree',
      'migrate',
      'versions',
      'entities',
      'upgrade-agents',
    ]);
  });
});

describe('an upgrade check of a running cluster', () => {
  test('monctl upgrade check reads the objects, versions and members of a running cluster', async () => {
    const cluster = await startCluster({
      members: ['backend-a', 'backend-b!'],
      lists: {
        checks: [{ metadata: { namespace: 'gone', name: 'db' } }],
        entities: entities(2).map(({ metadata = {} }) => ({
          metadata,
          entity_class: 'agent',
          sensu_agent_version: '6.5.0',
        })),
        pipelines: [{ metadata: { namespace: 'default', name: 'incidents' } }],
      },
    });
    const findings = await checkCluster(cluster.url, '5.7.0', '6.5.0', '--dump', await dumpFile());
    expect(Object.fromEntries(Object.entries(findings).map(([rule, { verdict }]) => [rule, verdict]))).toEqual({
      'same-versions': 'warn',
      '5.8.0-stop-all': 'warn',
      '5.16.0-entity-limit': 'pass',
      '6.0.0-dump': 'block',
      '6.2.0-namespaces': 'block',
      '6.4.0-store': 'block',
      '6.4.0-certificates': 'warn',
      '6.5.0-pipelines': 'pass',
    });
    expect(findings['5.8.0-stop-all']?.text).toContain('backend-b reports that it is not healthy');
    // The dump is incomplete: the live objects contain two entities, and the dump none.
    expect(findings['6.0.0-dump']?.text).toContain('of 2 Entity it contains 0');
  });

  test('monctl upgrade check of one backend without findings passes', async () => {
    const cluster = await startCluster({});
    const call = ['upgrade', 'check', '--from', '6.1.4', '--to', '6.2.0'];
    const { code, stdout, stderr } = await runMonctl(call, { MON_BACKEND: cluster.url });
    expect(stdout).toBe(
      [
        'VERDICT  RULE              TITLE',
        'pass     same-versions     All backends run the same version',
        'pass     6.2.0-namespaces  The namespace of every check exists',
        '',
      ].join('\n'),
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'the upgrade is possible\n' });
  });

  test('monctl upgrade check reports objects that it may not read as unreadable, not as missing', async () => {
    const cluster = await startCluster({ hidden: ['checks', 'entities'] });
    const findings = await checkCluster(cluster.url, '5.15.0', '6.2.0');
    expect(findings['6.2.0-namespaces']).toMatchObject({
      verdict: 'block',
      text: expect.stringContaining('could not be listed'),
    });
    expect(findings['5.16.0-entity-limit']).toMatchObject({ verdict: 'warn' });
  });

  test('monctl upgrade check exchanges user and password for a token, since a cluster accepts only tokens', async () => {
    const cluster = await startCluster({ login: 'admin:P@ssw0rd!' });
    const call = ['upgrade', 'check', '--from', '6.1.4', '--to', '6.2.0', '-o', 'json'];
    for (const env of [
      { MON_BACKEND: cluster.url, MON_CREDENTIALS: 'admin:P@ssw0rd!' },
      { MON_BACKEND: cluster.url.replace('//', '//admin:P%40ssw0rd!@') },
    ]) {
      const run = await runMonctl(call, env);
      expect(run.code).toBe(0);
      expect(findingsOf(run)['6.2.0-namespaces']).toMatchObject({ verdict: 'pass' });
    }
    const refused = await runMonctl(call, { MON_BACKEND: cluster.url, MON_CREDENTIALS: 'admin:wrong' });
    expect([refused.code, refused.stdout]).toEqual([4, '']);
    expect(refused.stderr).toMatch(/requires credentials/);
  });

  test('an upgrade plan of a cluster names the Sensu Go programs, and mon only for steps that mon executes', async () => {
    const cluster = await startCluster({
      lists: { checks: [{ metadata: { namespace: 'gone', name: 'db' } }] },
      members: ['a', 'b'],
    });
    const { stdout } = await runMonctl(['upgrade', 'plan', '--from', '5.7.0', '--to', '6.5.0', '-o', 'json'], {
      MON_BACKEND: cluster.url,
    });
    for (const command of [
      'sensuctl dump all --all-namespaces --format yaml --file dump.yml',
      'sensuctl namespace create gone',
      'systemctl stop sensu-backend',
      "apt-get install 'sensu-go-backend=6.5.0-*' 'sensu-go-agent=6.5.0-*' 'sensu-go-cli=6.5.0-*'",
      'systemctl restart sensu-agent',
      'sensu-backend upgrade',
    ]) {
      expect(stdout).toContain(command);
    }
    const ours = stdout.match(/(?:monctl|mon-(?:backend|agent)|\/(?:etc|lib)\/mon\b)[\w /-]*/g) ?? [];
    expect(ours.filter((text) => !text.startsWith('monctl upgrade '))).toEqual([]);
  });

  test('monctl upgrade check without --from starts at the version of the cluster', async () => {
    const cluster = await startCluster({ version: '6.1.4' });
    const { stdout } = await runMonctl(['upgrade', 'check', '--to', '6.2.0', '-o', 'json'], {
      MON_BACKEND: cluster.url,
    });
    expect(JSON.parse(stdout)).toMatchObject({ from: '6.1.4', to: '6.2.0' });
  });
});

test.each([
  [['--from', 'x'], 'x is not a version number: use one like 6.4.0'],
  [['--from', '6.5.0', '--to', '6.4.0'], '6.4.0 is older than 6.5.0: there is no plan for a downgrade'],
  [['--from', '6.4.0', '--offline'], '--offline needs --dump FILE'],
  [['--offline'], '--offline needs --from VERSION'],
  [
    ['--from', '6.4.0', '--offline', '--dump', 'x', '--accept', 'all'],
    '--accept must be relational-backup or entity-limit',
  ],
  [
    ['--from', '6.4.0', '--offline', '--dump', 'x', '--event-store', 'disk'],
    '--event-store must be key-value or relational',
  ],
])('the command monctl upgrade check %j is rejected with the reason', async (line, reason) => {
  const { code, stderr } = await runMonctl(['upgrade', 'check', ...line]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(reason) });
});
