import { describe, expect, test } from 'vitest';
import {
  certificateNamespaces,
  isStillValidIn,
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
    { name: 'a certificate of the authority matches', rule: { authority: FIRST }, isGood: true },
    {
      name: 'the fingerprint of the authority may have any notation',
      rule: { authority: 'ab'.repeat(32) },
      isGood: true,
    },
    { name: 'a certificate of the organization matches', rule: { organization: 'shop' }, isGood: true },
    { name: 'a certificate with the organizational unit matches', rule: { 'organizational-unit': 'db' }, isGood: true },
    {
      name: 'a certificate that meets every condition matches',
      rule: { authority: FIRST, organization: 'shop' },
      isGood: true,
    },
    { name: 'a certificate of another authority does not match', rule: { authority: SECOND }, isGood: false },
    { name: 'a certificate of another organization does not match', rule: { organization: 'Shop' }, isGood: false },
    {
      name: 'a certificate with the organization but of another authority does not match',
      rule: { authority: SECOND, organization: 'shop' },
      isGood: false,
    },
    {
      name: 'a certificate with another organizational unit does not match',
      rule: { organization: 'shop', 'organizational-unit': 'mail' },
      isGood: false,
    },
  ])('a certificate rule is evaluated: $name', ({ rule, isGood }) => {
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
  { name: 'ends when a namespace of its certificate is removed', before: ['a', 'b'], now: ['a'], isGood: false },
  { name: 'ends when the first rule is added', before: undefined, now: ['a'], isGood: false },
  { name: 'stays open when a namespace is added', before: ['a'], now: ['a', 'b'], isGood: true },
  { name: 'stays open when all rules are removed', before: ['a'], now: undefined, isGood: true },
])('an agent connection $name after the certificate rules have changed', ({ before, now, isGood }) => {
  expect(isStillValidIn(before, now)).toBe(isGood);
});

test.each([
  { rule: { namespaces: ['a'] }, problem: 'must contain authority, organization or organizational-unit' },
  { rule: { authority: 'agents', namespaces: ['a'] }, problem: 'SHA-256 fingerprint' },
  { rule: { organization: 'shop', namespaces: [] }, problem: '>=1' },
])('an incomplete certificate rule is rejected: $problem', ({ rule, problem }) => {
  expect(certificateRuleSchema.safeParse(rule).error?.message).toContain(problem);
});
