import { describe, expect, test } from 'vitest';
import { parseTemplate, renderTemplate, type Template } from '../../../../shared/domain/message/template.ts';
import { escapeHtml } from '../../../../shared/domain/message/service.ts';

const NAMES = {
  event: { check: { name: 'disk', output: '<b>full</b> & more', status: 2, handlers: ['a', 'b'] }, last_ok: null },
  severity: 'critical',
};

function rendered(source: string, escape = (text: string): string => text) {
  const template = parseTemplate(source);
  expect(template.kind).toBe('template');
  return renderTemplate(template as Template, { names: NAMES, nowMs: 0 }, escape);
}

describe('a template', () => {
  test.each([
    ['nothing to fill in', 'nothing to fill in'],
    ['', ''],
    ['{{ event.check.name }} is {{severity}}', 'disk is critical'],
    ["{{ event.check.status == 2 ? 'page' : 'mail' }}", 'page'],
    ['{{ event.check.name.toUpperCase() + "!" }}', 'DISK!'],
    ['{{ event.check.status * 1.5 }}', '3'],
    ['{{ event.check.handlers }} {{ event.check.handlers.join("+") }}', '["a", "b"] a+b'],
    ['[{{ event.last_ok }}{{ event.check.nothing }}]', '[]'],
    ['{{ new Date(0) }}', '1970-01-01T00:00:00.000Z'],
    ['{ {{ severity }} }', '{ critical }'],
    ['two\nlines {{\n severity\n}}', 'two\nlines critical'],
  ])('the message template %j renders as %j', (source, text) => {
    expect(rendered(source)).toEqual({ text, problems: [] });
  });

  test('a template escapes the inserted values and nothing else', () => {
    expect(rendered('<i>{{ event.check.output }}</i>', escapeHtml).text).toBe(
      '<i>&lt;b&gt;full&lt;/b&gt; &amp; more</i>',
    );
  });

  test.each([
    ['a {{ event.check.labels.team }} b', 'cannot read the field team of undefined'],
    ['a {{ evnt.check }} b', 'there is no variable evnt'],
    ['a {{ severity.trim }} b', 'the method is not called'],
    ['a {{ [1].every(true) }} b', 'every() needs a function as its argument'],
  ])('the template %j leaves a missing value empty and says why', (source, why) => {
    const { text, problems } = rendered(source);
    expect([text, problems.length]).toEqual(['a  b', 1]);
    expect(problems[0]).toContain(why);
  });

  test.each([
    ['{{ severity', '{{ needs a }} after its expression', 0],
    ['ab {{ }}', 'needs an expression', 3],
    ['{{ severity }} {{ process.exit( }}', '', 15],
    ['{{ while (true) {} }}', 'while', 3],
    ['{{ severity }}'.repeat(51), 'at most 50 expressions', 700],
  ])('the invalid template %j is rejected with its position', (source, why, position) => {
    const problem = parseTemplate(source);
    expect(problem).toMatchObject({ kind: 'problem', message: expect.stringContaining(why) as string });
    expect('position' in problem && problem.position).toBeGreaterThanOrEqual(position);
  });

  test('a template renders a text of at most a bounded length', () => {
    const source = "{{ event.check.output.split('').map(function (a) { return severity }).join(severity) }}";
    const long = `{{ '${'x'.repeat(4000)}' }}`.repeat(50) + 'y'.repeat(200_000);
    expect(rendered(source).problems).toEqual([]);
    const { text, problems } = rendered(long);
    expect([text.length, problems]).toEqual([262_144, ['the message has more than 262144 characters and was cut']]);
  });
});
