import { describe, expect, test, vi } from 'vitest';
import { HOLDER_GONE_MS } from '../../shared/domain/plan/run.ts';
import type { ConsoleRig } from '../support/console-rig.ts';
import { playUntil, ScriptedPlans } from '../support/upgrade-scene.ts';

const BACKUP = '/var/lib/mon/backups/20261120T114400Z-schema-3';

/** Opens a console that holds the plan of the scene, at a step. */
async function heldAt(step: string): Promise<{ rig: ConsoleRig; plans: ScriptedPlans }> {
  const plans = new ScriptedPlans().begin();
  const rig = await plans.open({ parts: { session: 'console-1' } });
  await playUntil(plans, step, 'console-1');
  plans.orders.length = 0;
  await rig.shows('(this console)', new RegExp(`> . +${String(numberOf(plans, step))} `));
  return { rig, plans };
}

function numberOf({ plan }: ScriptedPlans, step: string): number {
  return (plan?.steps.findIndex(({ id }) => id === step) ?? -1) + 1;
}

/** Opens a console that watches while bob works on the plan, or worked on it until `agoMs` milliseconds ago. */
async function watched(step: string, agoMs = 0): Promise<{ rig: ConsoleRig; plans: ScriptedPlans }> {
  const plans = new ScriptedPlans().begin();
  const rig = await plans.open({ parts: { session: 'console-1' } });
  plans.nowMs -= agoMs;
  await playUntil(plans, step, 'console-2', 'bob');
  plans.nowMs += agoMs;
  plans.orders.length = 0;
  await rig.shows('owner: bob', new RegExp(`> . +${String(numberOf(plans, step))} `));
  return { rig, plans };
}

describe('a new upgrade plan', () => {
  test('a new upgrade plan has a start and a target version, and its creator owns the plan', async () => {
    const plans = new ScriptedPlans();
    const rig = await plans.open({ parts: { session: 'console-1' } });
    rig.type('n');
    await rig.shows('From  6.5.0');
    rig.type('\t6.6.0\r\t\r');
    await rig.shows('UPGRADE 6.5.0 → 6.6.0', 'alice (this console)', 'plan #18 from 6.5.0 to 6.6.0');
    expect(plans.orders).toEqual([{ order: 'take', session: 'console-1', force: false }]);
  });

  test.each([
    { to: '', problem: 'is not a version' },
    { to: '1.8.0', problem: 'there is no plan for a downgrade' },
  ])('a new upgrade plan to the version "$to" is rejected in the dialog', async ({ to, problem }) => {
    const plans = new ScriptedPlans();
    const rig = await plans.open();
    rig.type(`n\t${to}\u0013`);
    await rig.shows(problem, 'From');
    expect(plans.plan).toBeUndefined();
  });

  test('a new upgrade plan requires that the previous plan has ended', async () => {
    const { rig } = await heldAt('backup');
    rig.type('\tn');
    await rig.shows('plan #18 is open: finish or abandon it first');
    expect(rig.screen.text).toContain('plan #18 is open: finish or abandon it first');
  });
});

describe('a step of an upgrade plan', () => {
  test('a read-only step of a plan runs at once, and its outcome is shown without a key', async () => {
    const { rig, plans } = await heldAt('rules');
    rig.type('\r');
    await rig.shows('● ', 'running');
    expect(plans.orders).toEqual([{ order: 'start', session: 'console-1', step: 'rules' }]);
    await plans.finish('rules', { isDone: true, note: 'nothing blocks' });
    await rig.shows(/✓ +1 .*done/, /> › +2 /);
  });

  test('running a step of a plan without an owner makes the operator the owner', async () => {
    const plans = new ScriptedPlans().begin();
    const rig = await plans.open({ parts: { session: 'console-1' } });
    await rig.shows('owner: none');
    rig.type('\r');
    await rig.shows('alice (this console)', 'running');
    expect(plans.orders.map(({ order }) => order)).toEqual(['take', 'start']);
  });

  test('a step of a plan that changes something asks first and says if it cannot be undone', async () => {
    const { rig, plans } = await heldAt('migrate');
    rig.type('\r');
    await rig.shows(
      'Run step 9 of 12, Upgrade the database',
      'This cannot be undone.',
      'Except by restoring the backup (Z):',
      BACKUP,
    );
    rig.type('6.4.0\u0013');
    await rig.shows('type "6.5.0" exactly');
    expect(plans.orders).toEqual([]);
    rig.type('\u00156.5.0\r');
    await rig.shows('running');
    expect(plans.orders).toEqual([{ order: 'start', session: 'console-1', step: 'migrate', typed: '6.5.0' }]);
  });

  test('a manual step of a plan shows its command, copies it and is confirmed', async () => {
    const { rig, plans } = await heldAt('install');
    const command = 'apt-get install mon-backend=6.5.0 mon-agent=6.5.0 monctl=6.5.0';
    rig.type('\r');
    await rig.shows('do this step, then confirm with Enter', `$ ${command}`);
    rig.type('c');
    await rig.shows('command copied');
    expect(rig.screen.output).toContain(`\u001B]52;c;${Buffer.from(command).toString('base64')}`);
    rig.type('\r');
    await rig.shows('[[ Cancel ]]   [ Yes, it is done ]');
    rig.type('\t\r');
    await rig.shows(/✓ +4 .*done/);
    expect(plans.orders.map(({ order }) => order)).toEqual(['start', 'confirm']);
  });

  test('a step of a plan is skipped only with a reason', async () => {
    const { rig, plans } = await heldAt('fix-namespaces');
    rig.type('X\r');
    await rig.shows('a reason is required');
    rig.type('kept for the audit\r');
    await rig.shows(/- +2 .*skipped/, 'kept for the audit');
    expect(plans.orders).toEqual([
      { order: 'skip', session: 'console-1', step: 'fix-namespaces', reason: 'kept for the audit' },
    ]);
  });

  test('a step of a plan is not run before the steps in front of it', async () => {
    const { rig, plans } = await heldAt('rules');
    rig.type('jj\r');
    await rig.shows('the next step is step 1 of 12');
    expect(plans.orders).toEqual([]);
  });

  test('a step of a plan that another operator completed while the confirmation was open is not run again', async () => {
    const { rig, plans } = await heldAt('backup');
    rig.type('\r');
    await rig.shows('Run step 3');
    await plans.from('bob', { order: 'take', session: 'console-2', force: true });
    await plans.from('bob', { order: 'skip', session: 'console-2', step: 'backup', reason: 'one was just made' });
    await plans.from('bob', { order: 'release', session: 'console-2' });
    await rig.shows('owner: none');
    plans.orders.length = 0;
    rig.type('\r');
    await rig.shows('the upgrade plan is now at step 4 of 12', 'your command was not run');
    expect(plans.orders).toEqual([]);
  });
});

describe('the owner of an upgrade plan', () => {
  test('a plan of an owner who is present is taken over only after a confirmation', async () => {
    const { rig, plans } = await watched('backup');
    rig.type('\r');
    await rig.shows('bob owns the plan: press Y to take ownership');
    rig.type('Y');
    await rig.shows('Take ownership of plan #18 from bob');
    rig.type('\r');
    await rig.showsNo('Take ownership of plan');
    expect(plans.orders).toEqual([]);
    rig.type('Y\t\r');
    await rig.shows('alice (this console)');
    expect(plans.orders).toEqual([{ order: 'take', session: 'console-1', force: true }]);
  });

  test('a plan whose owner has not been seen for two minutes is taken over without a confirmation', async () => {
    const { rig, plans } = await watched('backup', HOLDER_GONE_MS + 10_000);
    rig.type('Y');
    await rig.shows('alice (this console)');
    expect(plans.orders).toEqual([{ order: 'take', session: 'console-1', force: false }]);
  });

  test('the owner releases a plan with the key that takes a plan over', async () => {
    const { rig, plans } = await heldAt('backup');
    rig.type('Y');
    await rig.shows('owner: none', 'anybody can take ownership');
    expect(plans.orders).toEqual([{ order: 'release', session: 'console-1' }]);
  });

  test('the owner of a plan must confirm quitting while a step runs, but may quit without a connection', async () => {
    const { rig } = await heldAt('rules');
    rig.type('\r');
    await rig.shows('running');
    rig.type('q');
    await rig.shows('Quit while an upgrade step runs?', '[[ Cancel ]]');
    rig.type('\r');
    await rig.showsNo('Quit while');
    expect(rig.quits).toBe(0);
    (await rig.connection()).cut();
    await rig.shows('DISCONNECTED');
    rig.type('qy');
    expect(rig.quits).toBe(1);
  });
});

describe('quitting a console that owns an upgrade plan', () => {
  test('the console releases its plan before it quits', async () => {
    const { rig, plans } = await heldAt('backup');
    rig.type('q');
    await vi.waitFor(() => expect(rig.quits).toBe(1));
    expect(plans.orders).toEqual([{ order: 'release', session: 'console-1' }]);
  });

  test('the console quits after a second if the backend does not respond, and at once if asked again', async () => {
    const plans = new ScriptedPlans().begin();
    const rig = await plans.open({
      parts: { session: 'console-1' },
      hold: ({ body }) => (JSON.stringify(body)?.includes('release') ? new Promise(() => {}) : undefined),
    });
    await playUntil(plans, 'backup', 'console-1');
    await rig.shows('(this console)');
    rig.type('q');
    await rig.pass(999);
    expect(rig.quits).toBe(0);
    await rig.pass(1);
    await vi.waitFor(() => expect(rig.quits).toBe(1));
    rig.type('q');
    expect(rig.quits).toBe(2);
  });

  test('the question before quitting says when the step has ended', async () => {
    const { rig, plans } = await heldAt('rules');
    rig.type('\r');
    await rig.shows('running');
    rig.type('q');
    await rig.shows('Quit while an upgrade step runs?', 'step 1 of 12');
    await plans.finish('rules', { isDone: true, note: 'all rules pass' });
    await rig.shows('Plan #18 to 6.5.0: the step has ended, no step runs now.');
    expect(rig.screen.text).not.toContain('The step continues without this console');
  });
});

describe('the end of an upgrade plan', () => {
  test('rolling back a plan shows the command, which can be copied', async () => {
    const { rig, plans } = await heldAt('migrate');
    rig.type('Z');
    await rig.shows('Roll back plan #18', '$ mon-backend restore-backup');
    rig.type('too many alerts\u0013');
    await rig.shows('rolled back: stop the backend', `$ mon-backend restore-backup ${BACKUP}`);
    expect(plans.orders).toEqual([{ order: 'roll-back', session: 'console-1', reason: 'too many alerts' }]);
    rig.type('c');
    await rig.shows('command copied');
  });

  test('rolling back a plan requires a backup', async () => {
    const { rig } = await heldAt('backup');
    rig.type('Z');
    await rig.shows('this plan has no backup to roll back to');
    expect(rig.screen.text).toContain('this plan has no backup to roll back to');
  });

  test('abandoning a plan requires a reason, and the upgrade page can then create a new plan', async () => {
    const { rig } = await heldAt('backup');
    rig.type('D');
    await rig.shows('Completed steps are not undone.');
    rig.type('next week\u0013');
    await rig.shows('plan abandoned');
    rig.type('\t');
    await rig.shows('#18  6.1.0 → 6.5.0  abandoned', 'n creates a new one');
    expect(rig.screen.text).toContain('#18  6.1.0 → 6.5.0  abandoned');
  });

  test('the page of a plan says that all steps are done', async () => {
    const { rig, plans } = await heldAt('rules');
    await playUntil(plans, 'none', 'console-1');
    await rig.shows('✓ upgrade complete');
    rig.type('\r');
    await rig.shows('plan #18 is closed: done');
    expect(rig.screen.text).toContain('plan #18 is closed: done');
  });
});

describe('a plan that cannot be changed', () => {
  test('a plan cannot be changed in read-only mode', async () => {
    const { rig, plans } = await heldAt('backup');
    rig.type('!');
    await rig.shows('locked');
    for (const key of ['\r', 'X', 'Z', 'Y', 'D']) {
      rig.type(key);
      await rig.shows('is disabled: the console is locked');
    }
    expect(plans.orders).toEqual([]);
    expect(rig.screen.lines.at(-1)).not.toContain('run step');
  });

  test('a plan cannot be changed while the connection is lost, even by an open dialog', async () => {
    const { rig, plans } = await heldAt('backup');
    rig.type('\r');
    await rig.shows('Run step 3');
    (await rig.connection()).cut();
    await rig.shows('DISCONNECTED');
    rig.type('\r');
    await rig.shows('is disabled while disconnected', 'Run step 3');
    rig.escape();
    rig.type('Y');
    await rig.shows('Y is disabled while disconnected');
    expect(plans.orders).toEqual([]);
  });

  test('an order that the backend rejects changes nothing in the plan and is shown with the reason', async () => {
    const { rig, plans } = await heldAt('backup');
    // Another operator has taken the plan, and the feed has not announced it yet.
    plans.plan &&= { ...plans.plan, holder: { who: 'carol', session: 'console-3', since: 0, last_seen: plans.nowMs } };
    rig.type('\r\r');
    await rig.shows('carol owns the plan: take ownership first');
    expect(rig.screen.text).toContain('carol owns the plan: take ownership first');
  });
});

test('every action on a plan is available in the menu and on the command line', async () => {
  const { rig, plans } = await heldAt('rules');
  rig.type('x');
  await rig.shows(
    'Upgrade plan',
    'run the next step of the plan, or confirm a manual step',
    'abandon the upgrade plan; asks for a reason',
  );
  rig.escape();
  rig.type(':plan-run\r');
  await rig.shows('running');
  expect(plans.orders).toEqual([{ order: 'start', session: 'console-1', step: 'rules' }]);
});

test('the page of a plan follows the log, scrolls its details, and Esc goes back', async () => {
  const { rig, plans } = await heldAt('rules');
  rig.type('J');
  await rig.shows('plan #18 › log', 'owned by alice');
  await plans.from('alice', { order: 'start', session: 'console-1', step: 'rules' });
  await rig.shows(/step +1 +started by alice/);
  rig.type('LLqq');
  await rig.shows('STEP');
  rig.type('dG');
  await rig.shows('FINDINGS');
  rig.type('q');
  await rig.shows('STEP');
  expect(rig.screen.text).toContain('STEP');
});

test('the overview shows the progress of a plan and opens it', async () => {
  const { rig, plans } = await watched('migrate');
  rig.type('1');
  await rig.pass(400);
  await rig.shows('6.1.0 → 6.5.0  step 9 of 12  ready to run', '7: open the plan');
  await plans.from('bob', { order: 'start', session: 'console-2', step: 'migrate', typed: '6.5.0' });
  await rig.shows('step 9 of 12  running');
  expect(rig.screen.text).toContain('step 9 of 12  running');
});

test('the page of a plan on the smallest screen shows the step, its command and the keys', async () => {
  const plans = new ScriptedPlans().begin();
  const rig = await plans.open({ columns: 60, rows: 16, parts: { session: 'console-1' } });
  await playUntil(plans, 'restart-backend', 'console-1');
  await rig.shows('> ›  7  Restart the backend', '$ systemctl restart mon-backend');
  expect(Math.max(...rig.screen.lines.map((line) => line.length))).toBeLessThanOrEqual(60);
  expect(rig.screen.lines.at(-1)).toContain('help');
});

test('the help lists the keys of the plan', async () => {
  const { rig } = await heldAt('rules');
  rig.type('?');
  await rig.shows(
    'Upgrade plan',
    'skip the next step of the plan; asks for a reason',
    'end the upgrade plan and roll back to its backup',
  );
  expect(rig.screen.text).not.toContain('pause the feed');
});

test('the page of a plan that cannot be loaded says so and requests the plan again', async () => {
  let isDown = true;
  const plans = new ScriptedPlans();
  const rig = await plans.open({
    api: (request) =>
      isDown && request.path.includes('/upgrades/') ? { status: 503, body: { message: 'busy' } } : plans.api(request),
  });
  plans.begin();
  await plans.from('bob', { order: 'take', session: 'console-2', force: false });
  await rig.shows('busy', '#18  6.1.0 → 6.5.0  open');
  rig.type('\t');
  await rig.shows('plan #18 is not loaded');
  isDown = false;
  await rig.pass(2100);
  await rig.shows('owner: bob');
  expect(rig.screen.text).toContain('UPGRADE 6.1.0 → 6.5.0');
});
