import { describe, expect, test } from 'vitest';
import { converse } from '../../support/plain-conversation.ts';
import { playUntil, ScriptedPlans } from '../../support/upgrade-scene.ts';

/** Starts the screen-reader mode for an operator who holds the plan of the scene, at a step. */
async function at(step: string, { who = 'alice', session = 'console-1' } = {}) {
  const plans = new ScriptedPlans().begin();
  await playUntil(plans, step, session, who);
  plans.orders.length = 0;
  return { plans, person: await converse({ plans }) };
}

test('the upgrade command without a plan asks two questions and says how to create the plan', async () => {
  const plans = new ScriptedPlans();
  const person = await converse({ plans });
  expect(await person.type('upgrade')).toContain('There is no upgrade plan. Type "upgrade new" to create one.');
  await person.type('upgrade new', 'from which version?');
  await person.type('6.1.0', 'To which version?');
  expect(await person.type('6.0.0', '"cancel" to stop')).toContain('there is no plan for a downgrade');
  const printed = await person.type('6.5.0');
  expect(printed).toContain('Plan 18 from 6.1.0 to 6.5.0: open. Owner: alice.');
  expect(printed).toContain('block: The namespace of every check exists: the namespace billing does not exist');
  expect(printed).toContain('step 1 of 12, Run the pre-flight checks: next.');
});

describe('a step of an upgrade plan in screen-reader mode', () => {
  test('a read-only step of a plan runs at once in screen-reader mode, and its outcome can be read', async () => {
    const { person, plans } = await at('rules');
    expect(await person.type('upgrade run')).toContain('running');
    expect(plans.orders).toEqual([{ order: 'start', session: 'console-1', step: 'rules' }]);
    await plans.finish('rules', { isDone: false, note: 'the namespace billing does not exist' });
    expect(await person.type('upgrade')).toContain('pre-flight checks: failed, the namespace billing does not exist.');
  });

  test('an irreversible step of a plan requires a typed word in screen-reader mode', async () => {
    const { person, plans } = await at('migrate');
    await person.type('upgrade run', 'This cannot be undone. Type "6.5.0" to run the step:');
    expect(await person.type('yes', '"cancel" to stop')).toContain('the answer must be "6.5.0"');
    expect(await person.type('cancel')).toContain('nothing was changed');
    expect(plans.orders).toEqual([]);
    await person.type('upgrade run', 'to run the step:');
    expect(await person.type('6.5.0')).toContain('Type "upgrade" to check the outcome of the step.');
    expect(plans.orders).toEqual([{ order: 'start', session: 'console-1', step: 'migrate', typed: '6.5.0' }]);
  });

  test('a manual step of a plan shows its command in screen-reader mode and is then confirmed', async () => {
    const { person, plans } = await at('restart-agents');
    expect(await person.type('upgrade run')).toContain('do this step, then confirm with "upgrade run"');
    expect(await person.type('upgrade run', 'yes or no:')).toContain('Run: systemctl restart mon-agent');
    expect(await person.type('yes')).toContain('done; next: step 7');
    expect(plans.orders.map(({ order }) => order)).toEqual(['start', 'confirm']);
  });

  test('a step of a plan is skipped with a reason in screen-reader mode', async () => {
    const { person, plans } = await at('backup');
    await person.type('upgrade skip', 'Reason?');
    expect(await person.type('one was just made')).toContain('skipped');
    expect(plans.orders).toEqual([
      { order: 'skip', session: 'console-1', step: 'backup', reason: 'one was just made' },
    ]);
  });

  test('a step of a plan is not run if the plan has advanced while the question was open', async () => {
    const { person, plans } = await at('backup');
    await person.type('upgrade run', 'yes or no:');
    await plans.from('alice', { order: 'skip', session: 'console-1', step: 'backup', reason: 'elsewhere' });
    plans.orders.length = 0;
    expect(await person.type('yes')).toContain('The plan has changed meanwhile: nothing was done.');
    expect(plans.orders).toEqual([]);
  });
});

test('a plan of another owner is taken only after a question in screen-reader mode', async () => {
  const { person, plans } = await at('backup', { who: 'bob', session: 'console-2' });
  plans.nowMs = person.clock.now();
  expect(await person.type('upgrade run')).toContain('bob owns the plan. Type "upgrade take" to take ownership.');
  await person.type('upgrade take', 'bob owns the plan. Take ownership? yes or no:');
  expect(await person.type('yes')).toContain('you own plan #18');
  expect(plans.orders).toEqual([{ order: 'take', session: 'console-1', force: true }]);
  expect(await person.type('upgrade release')).toContain('you released plan #18');
});

test('a rollback of a plan in screen-reader mode requires a backup and names the command', async () => {
  const early = await at('backup');
  expect(await early.person.type('upgrade roll-back')).toContain('This plan has no backup to roll back to');
  const { person } = await at('migrate');
  await person.type('upgrade roll-back', 'Reason?');
  const printed = await person.type('too many alerts');
  expect(printed).toContain('Stop the backend and run: mon-backend restore-backup /var/lib/mon/backups/');
  expect(await person.type('upgrade run')).toContain('Plan 18 is closed: rolled-back.');
});

test('an unknown upgrade command is answered with the nearest known command, and read-only mode changes nothing', async () => {
  const { person, plans } = await at('backup');
  expect(await person.type('upgrade skp')).toContain('Unknown command upgrade skp. Did you mean skip?');
  const reader = await converse({ plans, readOnly: true });
  expect(await reader.type('upgrade run')).toContain('Nothing can be changed');
  expect(plans.orders).toEqual([]);
});
