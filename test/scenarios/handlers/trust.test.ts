import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { send } from '../../support/raw-http.ts';
import { HandlerScenario } from '../../support/handler-scenario.ts';

/**
 * Returns text that would create a file if a shell ran it, for every kind of quoting. The tests put it into every
 * attribute of a result.
 */
const attack = (file: string): string =>
  `$(touch ${file}) \`touch ${file}\` '; touch ${file}; ' "; touch ${file}; " | touch ${file}`;

/** Tests that a backend only runs commands from the definitions on its own machine (security S14). */
describe('data from outside is never executed', () => {
  test('shell syntax in the text of an event is passed to handlers and mutators as plain text', async () => {
    const scenario = await HandlerScenario.open({
      handlers: { default: {}, short: { mutator: 'line' } },
      mutators: { line: { command: 'cat' } },
    });
    const planted = join(scenario.dir, 'planted');
    await scenario.api.saveClient({ name: 'web-1', address: `$(touch ${planted})`, note: attack(planted) });
    await scenario.report(2, {
      output: attack(planted),
      handlers: ['default', 'short'],
      extra: { deep: [attack(planted)] },
    });
    const whole = await scenario.notifications('default');
    expect(whole).toMatchObject([{ client: { note: attack(planted) }, check: { output: attack(planted) } }]);
    expect(await scenario.notifications('short')).toEqual(whole);
    expect(existsSync(planted)).toBe(false);
  });

  test('a result cannot define a command, handler, filter or mutator', async () => {
    const scenario = await HandlerScenario.open();
    const planted = join(scenario.dir, 'planted');
    const command = `touch ${planted}`;
    const pipe = { type: 'pipe', command };
    await scenario.report(2, {
      command,
      mutator: command,
      filter: command,
      handlers: [command, 'default'],
      hooks: { critical: { command } },
    });
    expect(await scenario.lines()).toHaveLength(1);
    expect(scenario.logRecords('unknown handler')).toMatchObject([{ fields: { handler: command } }]);
    for (const body of [{ handler: pipe }, { handlers: [pipe] }]) {
      const text = JSON.stringify({ source: 'web-1', name: 'disk', output: '', status: 2, ...body });
      expect(await send(scenario.url, { method: 'POST', target: '/results', body: text })).toMatchObject({
        status: 400,
      });
    }
    await scenario.settled();
    expect(existsSync(planted)).toBe(false);
  });

  test.each(['/handlers', '/settings', '/checks', '/checks/disk', '/api/mon/v1/handlers', '/mutators'])(
    'the path %s accepts no definition',
    async (target) => {
      const scenario = await HandlerScenario.open();
      const body = JSON.stringify({ name: 'disk', type: 'pipe', command: 'true' });
      for (const method of ['POST', 'PUT', 'PATCH']) {
        expect([404, 405]).toContain((await send(scenario.url, { method, target, body })).status);
      }
    },
  );

  test('a handler and its mutator get only common environment variables and no other variable of the backend', async () => {
    process.env['MON_STORY_PASSWORD'] = 'hunter2';
    onTestFinished(() => void delete process.env['MON_STORY_PASSWORD']);
    const scenario = await HandlerScenario.open({
      handlers: { default: { type: 'pipe', command: 'cat >/dev/null; env' }, mutated: { mutator: 'env' } },
      mutators: { env: { command: 'cat >/dev/null; env' } },
    });
    await scenario.report(2, { handlers: ['default', 'mutated'] });
    const mutated = (await scenario.lines('mutated')).join('\n');
    const output = scenario.logRecords('handler output').find(({ fields }) => fields['handler'] === 'default');
    const seen = [String(output?.fields['output']), mutated];
    for (const environment of seen) {
      expect(environment).toContain('PATH=');
      expect(environment).not.toContain('hunter2');
      const names = environment.split('\n').flatMap((line) => /^(\w+)=/.exec(line)?.[1] ?? []);
      expect(
        names.filter(
          (name) =>
            !/^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR|PWD|OLDPWD|SHLVL|_|MON_RUN_ID)$/.test(name),
        ),
      ).toEqual([]);
    }
  });
});
