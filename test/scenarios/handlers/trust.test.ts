import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { send } from '../../support/raw-http.ts';
import { HandlerStory } from '../../support/handler-story.ts';

/** Returns shell code for every kind of quoting, to be put into every attribute of a result. */
const attack = (file: string): string =>
  `$(touch ${file}) \`touch ${file}\` '; touch ${file}; ' "; touch ${file}; " | touch ${file}`;

/** Tests that commands only come from definitions on the backend's own machine (security S14). */
describe('nothing that comes from outside runs', () => {
  test('text of an event, whatever it holds, is only text to a handler and a mutator', async () => {
    const story = await HandlerStory.open({
      handlers: { default: {}, short: { mutator: 'line' } },
      mutators: { line: { command: 'cat' } },
    });
    const planted = join(story.dir, 'planted');
    await story.api.saveClient({ name: 'web-1', address: `$(touch ${planted})`, note: attack(planted) });
    await story.report(2, {
      output: attack(planted),
      handlers: ['default', 'short'],
      extra: { deep: [attack(planted)] },
    });
    const whole = await story.told('default');
    expect(whole).toMatchObject([{ client: { note: attack(planted) }, check: { output: attack(planted) } }]);
    expect(await story.told('short')).toEqual(whole);
    expect(existsSync(planted)).toBe(false);
  });

  test('a result cannot define a command, handler, filter or mutator', async () => {
    const story = await HandlerStory.open();
    const planted = join(story.dir, 'planted');
    const command = `touch ${planted}`;
    const pipe = { type: 'pipe', command };
    await story.report(2, {
      command,
      mutator: command,
      filter: command,
      handlers: [command, 'default'],
      hooks: { critical: { command } },
    });
    expect(await story.lines()).toHaveLength(1);
    expect(story.said('unknown handler')).toMatchObject([{ fields: { handler: command } }]);
    for (const body of [{ handler: pipe }, { handlers: [pipe] }]) {
      const text = JSON.stringify({ source: 'web-1', name: 'disk', output: '', status: 2, ...body });
      expect(await send(story.url, { method: 'POST', target: '/results', body: text })).toMatchObject({ status: 400 });
    }
    await story.settled();
    expect(existsSync(planted)).toBe(false);
  });

  test.each(['/handlers', '/settings', '/checks', '/checks/disk', '/api/mon/v1/handlers', '/mutators'])(
    'the path %s accepts no definition',
    async (target) => {
      const story = await HandlerStory.open();
      const body = JSON.stringify({ name: 'disk', type: 'pipe', command: 'true' });
      for (const method of ['POST', 'PUT', 'PATCH']) {
        expect([404, 405]).toContain((await send(story.url, { method, target, body })).status);
      }
    },
  );

  test('a handler and its mutator see few environment variables, and none of the backend itself', async () => {
    process.env['MON_STORY_PASSWORD'] = 'hunter2';
    onTestFinished(() => void delete process.env['MON_STORY_PASSWORD']);
    const story = await HandlerStory.open({
      handlers: { default: { type: 'pipe', command: 'cat >/dev/null; env' }, mutated: { mutator: 'env' } },
      mutators: { env: { command: 'cat >/dev/null; env' } },
    });
    await story.report(2, { handlers: ['default', 'mutated'] });
    const mutated = (await story.lines('mutated')).join('\n');
    const output = story.said('handler output').find(({ fields }) => fields['handler'] === 'default');
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
