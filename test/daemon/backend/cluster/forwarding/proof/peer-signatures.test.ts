import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  requestBodyDigest,
  type PeerSignatures,
  type Proof,
} from '../../../../../../daemon/backend/cluster/forwarding/proof/peer-signatures.ts';
import { signaturesOf } from '../../../../../support/forwarding-rig.ts';
import { propertyRuns } from '../../../../../support/property-runs.ts';

const REQUEST = { method: 'POST', path: '/results?x=1', headers: { 'mon-principal': 'eyJ9', accept: '*/*' } };
const BODY = Buffer.from('{"ü":1}');

type Received = Parameters<PeerSignatures['proofOf']>[0];

let nowMs = 1_000_000_000_000;
const signatures = (self: string): PeerSignatures => signaturesOf(self, undefined, () => nowMs);

function received(
  more: Partial<{ method: string; url: string; headers: Record<string, string> }>,
  proof: object,
): Received {
  const { method, path: url, headers } = REQUEST;
  return {
    method,
    url,
    ...more,
    headers: { host: 'x', connection: 'keep-alive', ...headers, ...more.headers, ...proof },
  };
}

describe('a signed request', () => {
  test('a signed request names its sender and contains a digest of its body', () => {
    const proof = signatures('one').headerOf({ ...REQUEST, body: BODY }, 'two');
    expect(signatures('two').proofOf(received({}, proof))).toEqual({
      kind: 'signed',
      sender: 'one',
      bodyDigest: requestBodyDigest('{"ü":1}'),
    });
  });

  test.each<{ name: string; more: Parameters<typeof received>[0] }>([
    { name: 'another method', more: { method: 'PUT' } },
    { name: 'another path', more: { url: '/results?x=2' } },
    { name: 'another voucher', more: { headers: { 'mon-principal': 'eyJ8' } } },
    { name: 'an additional header', more: { headers: { authorization: 'Key x' } } },
  ])('a signed request is rejected with $name', ({ more }) => {
    const proof = signatures('one').headerOf(REQUEST, 'two');
    expect(signatures('two').proofOf(received(more, proof))).toEqual({ kind: 'refused', reason: 'signature' });
  });

  test('a signed request is accepted only by its receiver', () => {
    const proof = signatures('one').headerOf(REQUEST, 'two');
    expect(signatures('three').proofOf(received({}, proof))).toEqual({ kind: 'refused', reason: 'signature' });
  });

  test('a signed request is accepted once, in whatever order signed requests arrive', () => {
    const [one, two] = [signatures('one'), signatures('two')];
    const proofs = Array.from({ length: 100 }, () => one.headerOf(REQUEST, 'two')).toReversed();
    const kinds = (): Proof['kind'][] => proofs.map((proof) => two.proofOf(received({}, proof)).kind);
    expect(new Set(kinds())).toEqual(new Set(['signed']));
    expect(new Set(kinds())).toEqual(new Set(['refused']));
  });

  test('a signed request is rejected if its time differs by a minute before or after', () => {
    const two = signatures('two');
    const refused = (aheadMs: number): unknown => {
      const proof = signatures('one').headerOf(REQUEST, 'two');
      nowMs += aheadMs;
      return two.proofOf(received({}, proof));
    };
    expect(refused(60_001)).toEqual({ kind: 'refused', reason: 'time' });
    expect(refused(-60_001)).toEqual({ kind: 'refused', reason: 'time' });
    expect(refused(59_000)).toMatchObject({ kind: 'signed' });
  });

  test('a backend with a peer key rejects a request signed with the secret of the store', () => {
    const proof = signaturesOf('one', { secret: 'of the store' }).headerOf(REQUEST, 'two');
    expect(signatures('two').proofOf(received({}, proof))).toEqual({ kind: 'refused', reason: 'key' });
  });
});

test('a request with any text in place of a signature is rejected', () => {
  const two = signatures('two');
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (text) => {
      expect(two.proofOf(received({}, { 'mon-peer': text }))).toMatchObject({ kind: 'refused' });
    }),
    { numRuns: propertyRuns(200) },
  );
});

describe('the database row of a member', () => {
  const row = { id: 'two', url: 'https://10.0.0.2:4567', fingerprint: 'AB:CD' };
  const problem = (more: Partial<typeof row> & { proof?: string | undefined }): string | undefined =>
    signatures('one').problemOf({ ...row, proof: signatures('two').rowProofOf(row), ...more });

  test('the row of a member is accepted as the member wrote it', () => {
    expect(problem({})).toBeUndefined();
  });

  test.each([
    { name: 'another address', more: { url: 'https://evil.example:4567' } },
    { name: 'another certificate', more: { fingerprint: 'EF:01' } },
    { name: 'another id', more: { id: 'three' } },
  ])('the row of a member is rejected with $name', ({ more }) => {
    expect(problem(more)).toContain('another program has written that');
  });

  test('the row of a member without a signature, which an earlier version wrote, is rejected', () => {
    expect(problem({ proof: undefined })).toContain('earlier version');
  });

  test('the problem of a member row with another key or without a key says what differs', () => {
    const byKey = signaturesOf('two', { key: 'z'.repeat(43) });
    const byStore = signaturesOf('two', { secret: 'of the store' });
    expect(problem({ proof: byKey.rowProofOf(row) })).toContain('another key in peer-key-file');
    expect(problem({ proof: byStore.rowProofOf(row) })).toContain('has no peer-key-file');
    expect(byStore.problemOf({ ...row, proof: byKey.rowProofOf(row) })).toContain('which this backend does not have');
  });
});
