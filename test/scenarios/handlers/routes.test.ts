import { describe, expect, test, vi } from 'vitest';
import { HandlerScenario } from '../../support/handler-scenario.ts';

describe('the handlers of an event', () => {
  const handlers = { default: {}, mail: {}, chat: {}, pager: {} };
  const NAMES = Object.keys(handlers);

  async function notifiedHandlers(sets: object, attributes: Readonly<Record<string, unknown>>): Promise<string[]> {
    const scenario = await HandlerScenario.open({ handlers: { ...handlers, ...sets } });
    await scenario.report(2, attributes);
    const notified: string[] = [];
    for (const name of NAMES) for (const _ of await scenario.lines(name)) notified.push(name);
    return notified;
  }

  const team = { type: 'set', handlers: ['mail', 'chat'] };

  test.each<{ title: string; sets?: object; check: Readonly<Record<string, unknown>>; notified: string[] }>([
    { title: 'a check without handlers runs default', check: {}, notified: ['default'] },
    { title: 'a check with one handler runs that handler', check: { handler: 'mail' }, notified: ['mail'] },
    {
      title: 'handlers takes precedence over handler',
      check: { handler: 'mail', handlers: ['chat'] },
      notified: ['chat'],
    },
    { title: 'an empty list of handlers runs no handler', check: { handlers: [] }, notified: [] },
    { title: 'a handler that is named twice runs once', check: { handlers: ['mail', 'mail'] }, notified: ['mail'] },
    { title: 'a handler set runs its members', sets: { team }, check: { handler: 'team' }, notified: ['mail', 'chat'] },
    {
      title: 'a set in a set runs each member once even if members are also named directly',
      sets: { team, all: { type: 'set', handlers: ['team', 'mail', 'pager'] } },
      check: { handlers: ['pager', 'all', 'chat'] },
      notified: ['mail', 'chat', 'pager'],
    },
    {
      title: 'a third level of sets is rejected, and the handlers of the first two levels run',
      sets: {
        team,
        all: { type: 'set', handlers: ['team', 'pager'] },
        world: { type: 'set', handlers: ['all'] },
      },
      check: { handler: 'world' },
      notified: ['pager'],
    },
    {
      title: 'a set that contains itself runs its other members',
      sets: { ring: { type: 'set', handlers: ['ring', 'mail'] } },
      check: { handler: 'ring' },
      notified: ['mail'],
    },
    {
      title: 'severities, filter and mutator of a set have no effect',
      sets: { strict: { ...team, severities: ['ok'], filter: 'none', mutator: 'none' } },
      check: { handler: 'strict' },
      notified: ['mail', 'chat'],
    },
    { title: 'the handler default may be a set', sets: { default: team }, check: {}, notified: ['mail', 'chat'] },
    {
      title: 'contacts run in addition to handlers',
      check: { handlers: ['mail'], contact: 'pager' },
      notified: ['mail', 'pager'],
    },
    {
      title: 'an unknown handler does not prevent a known handler from running',
      check: { handlers: ['nobody', 'mail'] },
      notified: ['mail'],
    },
  ])('an event runs the right handlers for its check: $title', async ({ sets = {}, check, notified }) => {
    expect(await notifiedHandlers(sets, check)).toEqual(notified);
  });

  test('an unknown handler causes an error in the log at most once a minute', async () => {
    const scenario = await HandlerScenario.open({ handlers: {} });
    for (let times = 0; times < 5; times++) await scenario.report(2);
    await scenario.pass(60);
    await scenario.report(2);
    expect(scenario.logRecords('unknown handler')).toMatchObject([
      { level: 'error', fields: { handler: 'default', client: 'web-1', check: 'disk' } },
      { level: 'error', fields: { handler: 'default', omitted: 4 } },
    ]);
  });

  test('the check definition provides the handlers, and the result overrides them', async () => {
    const scenario = await HandlerScenario.open({
      handlers,
      checks: { disk: { command: 'df', interval: 60, subscribers: ['web'], handlers: ['pager'], runbook: 'wiki' } },
    });
    await scenario.report(2);
    expect(await scenario.notifications('pager')).toMatchObject([{ check: { runbook: 'wiki', interval: 60 } }]);
    await scenario.report(2, { handlers: ['mail'] });
    expect([await scenario.lines('pager'), await scenario.lines('mail')].map(({ length }) => length)).toEqual([0, 1]);
  });

  test('a reload of the configuration changes the handlers from the next event on', async () => {
    const scenario = await HandlerScenario.open({
      handlers: { default: { type: 'set', handlers: ['mail'] }, mail: {} },
    });
    await scenario.report(2);
    await scenario.reload({ handlers: { default: { type: 'set', handlers: ['chat'] }, chat: {} } });
    await scenario.report(2);
    expect([await scenario.lines('mail'), await scenario.lines('chat')].map(({ length }) => length)).toEqual([1, 1]);
  });
});

describe('the input of a handler', () => {
  test('the input of a handler is the event, the output of the check, or the output of a mutator', async () => {
    const scenario = await HandlerScenario.open({
      handlers: { whole: {}, line: { mutator: 'only_check_output' }, wrapped: { mutator: 'wrap' } },
      mutators: { wrap: { command: 'echo "$(wc -c) bytes"; echo of JSON >&2' } },
    });
    await scenario.report(2, { output: 'disk full', handlers: ['whole', 'line', 'wrapped'] });
    const [whole = ''] = await scenario.lines('whole');
    expect(JSON.parse(whole)).toMatchObject({ check: { output: 'disk full' } });
    expect(await scenario.lines('line')).toEqual(['disk full']);
    // The output consists of standard output, standard error, and the newline that the handler adds.
    expect(await scenario.lines('wrapped')).toEqual([`${String(whole.length)} bytes`, 'of JSON', '']);
  });

  test.each<{ title: string; mutator: string; command: string; afterMs?: number; message: string; why: string }>([
    { title: 'that fails', mutator: 'odd', command: 'echo no; exit 1', message: 'mutator error', why: 'exited with 1' },
    {
      title: 'that exceeds its timeout',
      mutator: 'odd',
      command: 'cat >/dev/null; sleep 600',
      afterMs: 60_000,
      message: 'mutator error',
      why: 'execution timed out',
    },
    { title: 'that is not defined', mutator: 'nobody', command: 'cat', message: 'unknown mutator', why: 'nobody' },
  ])('a mutator $title causes an error in the log and a dead letter', async (mutating) => {
    const { mutator, command, afterMs = 0, message, why } = mutating;
    const scenario = await HandlerScenario.open({
      handlers: { default: { mutator }, other: {} },
      mutators: { odd: { command, timeout: 60 } },
    });
    await scenario.report(2, { handlers: ['default', 'other'] });
    await vi.waitFor(() => {
      scenario.clock.advance(afterMs);
      expect(scenario.logRecords(message)).toHaveLength(1);
    });
    expect(await scenario.lines()).toEqual([]);
    expect(scenario.logRecords(message)).toMatchObject([{ level: 'error', fields: { handler: 'default', mutator } }]);
    expect(await scenario.api.deadLetters()).toMatchObject([
      { handler: 'default', reason: expect.stringMatching(`^${message}.*${why}`) as string },
    ]);
    expect(await scenario.lines('other')).toHaveLength(1);
  });
});
