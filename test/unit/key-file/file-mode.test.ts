import { describe, expect, it } from 'vitest';
import { isModeAccepted } from '../../../adapters/key-file/file-mode.ts';

const OWN = 1_000;
const of = (mode: number, more: { uid?: number; isReadOnly?: boolean } = {}) =>
  isModeAccepted({ mode: 0o100_000 | mode, uid: more.uid ?? OWN, isReadOnly: more.isReadOnly ?? false }, OWN);

describe('who may see a key file', () => {
  it('of the process itself: nobody else', () => {
    expect([0o600, 0o400].map((mode) => of(mode))).toEqual([true, true]);
    expect([0o640, 0o440, 0o604, 0o644, 0o610, 0o601].map((mode) => of(mode))).toEqual(new Array(6).fill(false));
  });

  it('of another user, as an orchestrator mounts it: readers, but nobody who may change it', () => {
    expect([0o600, 0o440, 0o640, 0o444, 0o644].map((mode) => of(mode, { uid: 0 }))).toEqual(new Array(5).fill(true));
    expect([0o660, 0o646, 0o666, 0o420].map((mode) => of(mode, { uid: 0 }))).toEqual(new Array(4).fill(false));
  });

  it('on a read-only mount: the same', () => {
    expect([0o440, 0o444].map((mode) => of(mode, { isReadOnly: true }))).toEqual([true, true]);
    expect(of(0o666, { isReadOnly: true })).toBe(false);
  });

  it('where there are no users, a file is the process’s own', () => {
    expect(isModeAccepted({ mode: 0o644, uid: 0, isReadOnly: false }, undefined)).toBe(false);
    expect(isModeAccepted({ mode: 0o600, uid: 0, isReadOnly: false }, undefined)).toBe(true);
  });
});
