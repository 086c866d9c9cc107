import { expect, test } from 'vitest';
import { HandlerScenario } from '../../support/handler-scenario.ts';
import { runMonctl } from '../../support/run-monctl.ts';

const SETTINGS = {
  handlers: { default: { group_by: ['client.rack'], group_wait: 30, group_interval: 300 } },
  inhibitions: {
    'switch-down': { source: 'check=uplink status=crit', target: 'check!=uplink', equal: ['client.rack'] },
  },
};
const HOSTS = Array.from({ length: 30 }, (_, at) => `host-${String(at).padStart(3, '0')}`);

interface NotifiedGroup {
  readonly group: { readonly by: object; readonly firing: number; readonly resolved: number };
  readonly events: readonly { readonly change: string; readonly client: { name: string }; check: { name: string } }[];
}

/** Returns one line per handler run since the previous call that summarizes its notification. */
async function notifiedGroups(scenario: HandlerScenario): Promise<string[]> {
  return (await scenario.lines()).map((line) => {
    const { group, events } = JSON.parse(line) as NotifiedGroup;
    const listed = events.map(({ change, client, check }) => `${client.name}/${check.name} ${change}`);
    return `${JSON.stringify(group.by)} ${String(group.firing)} firing, ${String(group.resolved)} resolved: ${listed.join()}`;
  });
}

test('a failing switch causes one notification, whichever check fails first and whichever program restarts', async () => {
  const scenario = await HandlerScenario.open(SETTINGS);
  const { api } = scenario;
  await Promise.all(['switch-a', ...HOSTS].map((name) => api.saveClient({ name, address: '192.0.2.1', rack: 'a' })));
  await Promise.all(HOSTS.map((source) => scenario.report(2, { source, name: 'ping' })));
  await scenario.report(2, { source: 'elsewhere', name: 'ping' });
  await scenario.report(2, { source: 'switch-a', name: 'uplink' });
  const monctl = async (...args: readonly string[]): Promise<string> =>
    (await runMonctl([...args, '--backend', scenario.url])).stdout;
  // monctl uses the clock of the machine, which is ahead of the backend's clock, so the group is shown as already due.
  expect(await monctl('handler', 'groups')).toMatch(/default +client\.rack=a +CRIT +31 +31 +never +now/);
  expect(await monctl('event', 'explain', 'switch-a', 'uplink')).toContain(
    'it is pending in its group client.rack=a (31 events), which is notified in 30s',
  );
  expect(await monctl('event', 'explain', 'host-000', 'ping')).toContain(
    'inhibited by switch-down while switch-a/uplink is failing',
  );
  expect(await monctl('inhibition', 'list')).toMatch(/switch-down .* client\.rack +0 +default:switch-a\/uplink/);
  expect(await api.simulate({ source: 'host-000', name: 'disk', output: 'full', status: 2 })).toMatchObject({
    handlers: [{ verdict: 'inhibited', inhibited_by: { rule: 'switch-down', client: 'switch-a', check: 'uplink' } }],
  });
  await scenario.restart();
  await scenario.pass(30);
  expect((await notifiedGroups(scenario)).toSorted()).toEqual([
    '{"client.rack":""} 1 firing, 0 resolved: elsewhere/ping new',
    '{"client.rack":"a"} 1 firing, 0 resolved: switch-a/uplink new',
  ]);

  expect(await monctl('handler', 'groups')).toMatch(/default +client\.rack=a +CRIT +1 +0 +/);

  // While the problem lasts, no notification is repeated. When it ends, only the events whose opening was notified are
  // notified as resolved.
  await Promise.all(HOSTS.map((source) => scenario.report(2, { source, name: 'ping' })));
  await scenario.pass(600, 300);
  expect(await notifiedGroups(scenario)).toEqual([]);
  await scenario.report(0, { source: 'switch-a', name: 'uplink' });
  await Promise.all(HOSTS.slice(1).map((source) => scenario.report(0, { source, name: 'ping' })));
  await scenario.report(2, { source: 'host-000', name: 'ping' });
  await scenario.pass(300, 30);
  expect(await notifiedGroups(scenario)).toEqual([
    '{"client.rack":"a"} 1 firing, 1 resolved: host-000/ping new,switch-a/uplink resolved',
  ]);
});
