import { describe, expect, test } from 'vitest';
import {
  certificateNamespaces,
  isStillGoodIn,
  type CertificateOrigin,
} from '../../../shared/domain/certificate-namespaces.ts';
import { certificateRuleSchema, type CertificateRule } from '../../../shared/schemas/certificate-rule.ts';

const [FIRST, SECOND] = ['AB:'.repeat(31) + 'AB', 'CD:'.repeat(31) + 'CD'] as const;
const origin = (more: Partial<CertificateOrigin> = {}): CertificateOrigin => ({
  authorities: [FIRST],
  organizations: ['shop'],
  units: ['web', 'db'],
  ...more,
});

describe('the namespaces of a certificate', () => {
  test('a certificate is valid in every namespace when there is no rule', () => {
    expect(certificateNamespaces([], origin())).toBeUndefined();
  });

  test.each<{ name: string; rule: Omit<CertificateRule, 'namespaces'>; isGood: boolean }>([
    { name: 'by its authority', rule: { authority: FIRST }, isGood: true },
    { name: 'by its authority in any writing', rule: { authority: 'ab'.repeat(32) }, isGood: true },
    { name: 'by its organization', rule: { organization: 'shop' }, isGood: true },
    { name: 'by one of its units', rule: { 'organizational-unit': 'db' }, isGood: true },
    { name: 'by all that a rule names', rule: { authority: FIRST, organization: 'shop' }, isGood: true },
    { name: 'not by another authority', rule: { authority: SECOND }, isGood: false },
    { name: 'not by another organization', rule: { organization: 'Shop' }, isGood: false },
    {
      name: 'not by the right name of another authority',
      rule: { authority: SECOND, organization: 'shop' },
      isGood: false,
    },
    { name: 'not by another unit', rule: { organization: 'shop', 'organizational-unit': 'mail' }, isGood: false },
  ])('a certificate is checked against the rules: $name', ({ rule, isGood }) => {
    expect(certificateNamespaces([{ ...rule, namespaces: ['prod'] }], origin())).toEqual(isGood ? ['prod'] : []);
  });

  test('a certificate is valid in the namespaces of all rules that it meets', () => {
    const rules: CertificateRule[] = [
      { authority: FIRST, namespaces: ['a', 'b'] },
      { organization: 'shop', namespaces: ['b', 'c'] },
      { organization: 'bank', namespaces: ['d'] },
    ];
    expect(certificateNamespaces(rules, origin())).toEqual(['a', 'b', 'c']);
  });
});

test.each<{ name: string; before: string[] | undefined; now: string[] | undefined; isGood: boolean }>([
  { name: 'ends when a namespace is taken away', before: ['a', 'b'], now: ['a'], isGood: false },
  { name: 'ends with the first rule', before: undefined, now: ['a'], isGood: false },
  { name: 'goes on when a namespace is added', before: ['a'], now: ['a', 'b'], isGood: true },
  { name: 'goes on without any rule', before: ['a'], now: undefined, isGood: true },
])('a connection $name', ({ before, now, isGood }) => {
  expect(isStillGoodIn(before, now)).toBe(isGood);
});

test.each([
  { rule: { namespaces: ['a'] }, problem: 'must contain authority, organization or organizational-unit' },
  { rule: { authority: 'agents', namespaces: ['a'] }, problem: 'SHA-256 fingerprint' },
  { rule: { organization: 'shop', namespaces: [] }, problem: '>=1' },
])('an incomplete certificate rule is rejected: $problem', ({ rule, problem }) => {
  expect(certificateRuleSchema.safeParse(rule).error?.message).toContain(problem);
});
