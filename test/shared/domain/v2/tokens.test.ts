import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { substituteEntityTokens, tokenEntityOf, unmatchedEntityText } from '../../../../shared/domain/v2/tokens.ts';
import { cpuMs } from '../../../support/cpu-ms.ts';

const CLIENT = {
  name: 'web-1',
  address: '192.0.2.1',
  subscriptions: ['linux', 'client:web-1'],
  timestamp: 1_700_000_000,
  version: '1.9.0',
  labels: { region: 'eu', 'a-b': 'seven', code: '{{ .name }} :::name:::', money: '$& $1', empty: '' },
  annotations: { runbook: 'https://example.org/x' },
  system: { hostname: 'web-1.example.org', network: { interfaces: [] }, processors: 4 },
};
const ENTITY = tokenEntityOf('prod', CLIENT);

const substitute = (value: unknown): ReturnType<typeof substituteEntityTokens> =>
  substituteEntityTokens(value, CLIENT, ENTITY);

describe('a v2 token in a text', () => {
  test.each<{ text: string; becomes: string }>([
    { text: 'no token } }} {', becomes: 'no token } }} {' },
    { text: 'ping {{ .name }}!', becomes: 'ping web-1!' },
    { text: '{{.name}}{{.namespace}}', becomes: 'web-1prod' },
    { text: '{{ .labels.region }}', becomes: 'eu' },
    { text: '{{ .metadata.labels.region }}', becomes: 'eu' },
    { text: '{{ .annotations.runbook }}', becomes: 'https://example.org/x' },
    { text: '{{ index .labels "a-b" }}', becomes: 'seven' },
    { text: '{{ index .system "hostname" }}', becomes: 'web-1.example.org' },
    { text: '{{ .system.processors }}', becomes: '4' },
    { text: '{{ .subscriptions }}', becomes: '["linux", "entity:web-1"]' },
    { text: '[{{ .labels.empty | default "x" }}]', becomes: '[]' },
    { text: '{{ .labels.zone | default "a \\"b\\" | }}" }}', becomes: 'a "b" | }}' },
    { text: '{{ .labels.zone|default `C:\\x` }}', becomes: 'C:\\x' },
    { text: '{{ index .labels "no-such" | default 80 }}', becomes: '80' },
    { text: '{{ .labels.region | default "us" }}', becomes: 'eu' },
    // Tokens as in checks that are published for Sensu Go.
    { text: '{{ or .annotations.aws_region "us-east-1" }}', becomes: 'us-east-1' },
    { text: '{{ or .annotations.none .labels.empty .name }}', becomes: 'web-1' },
    { text: '{{ or .labels.region .name }}', becomes: 'eu' },
    { text: `{{ .annotations.none | default '1.3.6 "a"' }}`, becomes: '1.3.6 "a"' },
    { text: '{{ and .labels.region .name }}', becomes: 'web-1' },
    { text: '{{ or .annotations.none "" | default "x" }}', becomes: '' },
    { text: '{{ .labels.zone | default .labels.region }}', becomes: 'eu' },
    { text: '{{ default "x" .labels.zone }}', becomes: 'x' },
    { text: '{{ (index .labels "a-b") | default "x" }}', becomes: 'seven' },
    { text: '{{ or (index .labels "none") (.name | default "y") }}', becomes: 'web-1' },
    { text: '{{ index .subscriptions 1 }}', becomes: 'entity:web-1' },
    { text: '{{ print .name "-" .labels.region }}', becomes: 'web-1-eu' },
    { text: '${{ assetPath "sensu/check-cpu:1.0" }}/bin', becomes: '$SENSU_CHECK_CPU_1_0_PATH/bin' },
    { text: 'a {{- .name -}} b', becomes: 'aweb-1b' },
    { text: 'a{{/* nothing */}}b', becomes: 'ab' },
    // A quoted literal, for programs that have their own templates.
    { text: "docker ps --format '{{ `{{.Names}}` }}'", becomes: "docker ps --format '{{.Names}}'" },
    // Tokens of Sensu Core also work, even in the same text.
    { text: ':::address::: {{ .name }} :::none|x:::', becomes: '192.0.2.1 web-1 x' },
    // Tokens in the value of an attribute are not replaced again.
    { text: '{{ .labels.code }}', becomes: '{{ .name }} :::name:::' },
    { text: '{{ .labels.money }}', becomes: '$& $1' },
  ])('the v2 tokens in the text $text are substituted', ({ text, becomes }) => {
    expect(substitute(text)).toEqual({ value: becomes, unmatched: [] });
  });

  test('v2 tokens are substituted at every depth of an object', () => {
    expect(substitute({ a: ['{{ .name }}', 1, null], b: { '{{ .name }}': '{{ .name }}' } }).value).toEqual({
      a: ['web-1', 1, null],
      b: { '{{ .name }}': 'web-1' },
    });
  });
});

describe('an invalid token', () => {
  test.each([
    ['{{ .labels.zone }}', '{{ .labels.zone }} has no value: set it, or add | default "..."'],
    ['{{ .labels }}', '{{ .labels }} has no value: set it, or add | default "..."'],
    ['{{ .labels.__proto__.x }}', '{{ .labels.__proto__.x }} has no value: set it, or add | default "..."'],
    ['{{ .constructor.name }}', '{{ .constructor.name }} has no value: set it, or add | default "..."'],
    ['{{ name }}', '{{ name }} cannot be read: write {{ .path }}'],
    ['{{ range .x }}{{ end }}', '{{ range .x }}{{ end }} cannot be read: write {{ .path }}'],
    [
      '{{ or .labels.zone .labels.none }}',
      '{{ or .labels.zone .labels.none }} has no value: set it, or add | default "..."',
    ],
    ['{{ upper .name }}', '{{ upper .name }} cannot be read: write {{ .path }}'],
    ['{{ .name .name }}', '{{ .name .name }} cannot be read: write {{ .path }}'],
    ['{{ .name | .name }}', '{{ .name | .name }} cannot be read: write {{ .path }}'],
    ["{{ .x | default '1.3 }}", "{{ .x | default '1.3 }} cannot be read: write {{ .path }}"],
    ['{{ (.name }}', '{{ (.name }} cannot be read: write {{ .path }}'],
    ['{{ }}', '{{ }} cannot be read: write {{ .path }}'],
    ['x {{', '{{ cannot be read: write {{ .path }}'],
    [':::none:::{{ .name }}', ':::none::: has no value'],
  ])('the invalid v2 token %s is reported with a remedy', (text, problem) => {
    expect(substitute(text).unmatched).toEqual([problem]);
  });

  test('an invalid v2 token that occurs twice is reported once', () => {
    const { unmatched } = substitute(['{{ .a }}', '{{ .a }}', '{{ b }}']);
    expect(unmatchedEntityText(unmatched)).toBe(
      'unmatched token: {{ .a }} has no value: set it, or add | default "...", {{ b }} cannot be read: write {{ .path }}',
    );
  });
});

/** Returns a token with this many levels of parentheses. */
function nested(levels: number): string {
  return `{{ ${'or ('.repeat(levels)}or .name${')'.repeat(levels)} }}`;
}

test('a token has at most ten levels of parentheses', () => {
  expect(substitute(nested(10)).value).toBe('web-1');
  expect(substitute(nested(11)).value).toBe('');
});

test('the parser of v2 tokens never throws, and a text without a token stays unchanged', () => {
  const piece = fc.constantFrom('{{', '}}', ' ', '.name', 'index', '"', '`', '|', 'default', '\\', 'x', ':::', '\n');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = pieces.join('');
      const hasToken = text.includes('{{') || text.includes(':::');
      expect(hasToken || substitute(text).value === text).toBe(true);
      expect(() => substitute(text)).not.toThrow();
    }),
  );
});

test.each([
  '{{',
  '{{ (',
  '{{ or .a',
  '{{/*',
  '{{- ',
  '{{ .a | default "',
  '{{ index .labels `',
  '{{ .name }}',
  '{{ .a' + '.b'.repeat(20),
])('a megabyte of the v2 token text %s is parsed in linear time', (piece) => {
  const startMs = cpuMs();
  substitute(piece.repeat(Math.ceil(1_000_000 / piece.length)));
  expect(cpuMs() - startMs).toBeLessThan(2000);
});
