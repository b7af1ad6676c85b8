import { describe, expect, it } from 'vitest';
import { readProfile } from '../../../../adapters/x509/certificate-profile.ts';
import { findPaths } from '../../../../adapters/x509/chain-search.ts';
import { issueIntermediate, issueLeaf, issueRoot, newKey } from '../../../support/test-ca.ts';

const NOW = Math.floor(Date.now() / 1000);
const root = issueRoot();
const subject = { commonName: 'Many Keys' };
const key = newKey('p256');
const profiled = (der: Uint8Array) => ({ profile: readProfile(der) });
const leaf = profiled(issueLeaf({ ...root, subject }, ['a.test']).der);
/** Each of them may have issued the leaf and each other, to judge by names. */
const many = (count: number) =>
  Array.from({ length: count }, () =>
    profiled(issueIntermediate(root, { subject, issuer: { subject, privateKey: key } }).der),
  );

describe('the search for a chain', () => {
  it('ends after a bounded number of steps, however many orders the certificates have', () => {
    let steps = 0;
    const named = () => {
      steps += 1;
      return [];
    };
    expect([...findPaths(leaf, many(21), { named, isIssued: () => true }, NOW)]).toEqual([]);
    expect(steps).toBeLessThanOrEqual(10_001);
  });

  it('tries all orders of as many certificates as a presentation holds', () => {
    let steps = 0;
    const named = () => {
      steps += 1;
      return [];
    };
    expect([...findPaths(leaf, many(7), { named, isIssued: () => true }, NOW)]).toEqual([]);
    // One path for each order of each selection of at most six.
    expect(steps).toBe(1 + 7 + 42 + 210 + 840 + 2_520 + 5_040);
  });

  it('ends when it has checked a hundred signatures', () => {
    let checks = 0;
    const isIssued = () => {
      checks += 1;
      return false;
    };
    const anchor = { constraints: undefined };
    expect([...findPaths(leaf, many(7), { named: () => [anchor], isIssued }, NOW)]).toEqual([]);
    expect(checks).toBe(100);
  });
});
