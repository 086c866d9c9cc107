import { describe, expect, test } from 'vitest';
import { mailOf, type EmailHandler } from '../../../../shared/domain/message/mail.ts';
import { handlerSchema } from '../../../../shared/schemas/handler.ts';
import { parseMailAddress } from '../../../../shared/schemas/mail-address.ts';
import { anEvent } from '../../../support/a-job.ts';

/** Twenty-two minutes after the event of `anEvent` began. */
const NOW_MS = (1_767_225_600 + 22 * 60) * 1000;

function mailed(about: Parameters<typeof anEvent>[0] = {}, templates: object = {}) {
  const definition = { type: 'email', smtp: { host: 'mx' }, from: 'mon@example.com', to: 'ops@example.com', templates };
  const handler = handlerSchema.parse(definition) as EmailHandler;
  return mailOf(handler, { namespace: 'default', event: anEvent(about), output: undefined, nowMs: NOW_MS });
}

describe('a mail', () => {
  test('a mail has a subject, a text and HTML', () => {
    expect(mailed({ check: { output: 'a < b & c\nnext' } })).toEqual({
      subject: 'CRITICAL web-1/disk: a < b & c',
      text: [
        'CRITICAL web-1/disk: a < b & c',
        '',
        'next',
        '',
        'Status: critical (before: ok)',
        'Since: 22 minutes ago (2026-01-01 00:00:00Z)',
        'Occurrences: 1',
        'Subscription: web',
        '',
        'mon --open web-1/disk',
      ].join('\n'),
      html: expect.stringMatching(/a &lt; b &amp; c<\/h3>\n<pre>next<\/pre>/) as string,
      problems: [],
    });
  });

  test('a mail escapes every value of an event in its HTML', () => {
    const bad = '<script>alert("1")</script>';
    const { html } = mailed({ client: { name: bad }, check: { name: bad, output: bad, runbook: bad } });
    expect(html).not.toMatch(/<script|"1"/);
    expect(mailed({ check: { output: bad } }, { html: '<p title="{{ output }}">{{ output }}</p>' }).html).toBe(
      '<p title="&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;">&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;</p>',
    );
  });

  test('a mail has a subject of one line and bounded length, whatever the check output contains', () => {
    const output = `x\r\nBcc: all@example.com\r\n\r\n${'y'.repeat(10_000)}`;
    const templates = { subject: '{{ event.check.output }}\nsecond {{ severity }}' };
    for (const { subject } of [mailed({ check: { output } }), mailed({ check: { output } }, templates)]) {
      expect(subject).not.toMatch(/\p{Cc}/u);
      expect(subject.length).toBeLessThanOrEqual(250);
    }
  });

  test.each([
    ['only a text', { text: 'It is {{ severity }}.' }, { text: 'It is critical.' }],
    ['a text and HTML', { text: 'a', html: '<b>{{ severity }}</b>' }, { text: 'a', html: '<b>critical</b>' }],
    [
      'HTML and the default text',
      { html: '<b>x</b>' },
      { text: expect.stringContaining('Subscription: web') as string, html: '<b>x</b>' },
    ],
  ])('a mail with templates has %s', (_title, templates, parts) => {
    const { subject: _, problems, ...rest } = mailed({}, templates);
    expect([rest, problems]).toEqual([parts, []]);
  });
});

test.each([
  ['ops@example.com', { name: '', address: 'ops@example.com' }],
  ['Operators <ops@example.com>', { name: 'Operators', address: 'ops@example.com' }],
  ['"Ops, Web" <ops@example.com>', { name: 'Ops, Web', address: 'ops@example.com' }],
  ['Zoë <zoë@exämple.com>', { name: 'Zoë', address: 'zoë@exämple.com' }],
  ['ops', undefined],
  ['a@b, c@d', undefined],
  ['a@b\r\nBcc: c@d', undefined],
  ['x <a@b> <c@d>', undefined],
  ['x\r\nBcc: <a@b>', undefined],
  ['<a@b', undefined],
])('the mail address %j is parsed or rejected', (text, address) => {
  expect(parseMailAddress(text)).toEqual(address);
});
