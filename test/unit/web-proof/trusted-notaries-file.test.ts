import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTrustedNotariesFile, trustedNotariesFile } from '../../../adapters/trusted-notaries-file/index.ts';
import { createRecordingLogger, type RecordingLogger } from '../../support/recording-logger.ts';

const A = 'a'.repeat(64);
const B = 'b'.repeat(64);
const listOf = (...fingerprints: string[]) => JSON.stringify(fingerprints.map((fingerprint) => ({ fingerprint })));

let folder: string;
let path: string;
let logger: RecordingLogger;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'credence-trusted-'));
  path = join(folder, 'trusted.json');
  logger = createRecordingLogger();
  writeFileSync(path, listOf(A));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = () => {
  const notaries = createTrustedNotariesFile({ path, logger });
  return () => [A, B].filter((fingerprint) => notaries.isTrusted(fingerprint, 1)).map(([letter]) => letter);
};
const levels = () => logger.lines.map(({ level }) => level);

describe('the file of trusted notaries', () => {
  it('is read again when it is written to, replaced, or made smaller', () => {
    const trusted = open();
    expect(trusted()).toEqual(['a']);
    writeFileSync(path, listOf(A, B));
    expect(trusted()).toEqual(['a', 'b']);
    writeFileSync(`${path}.new`, listOf(B));
    renameSync(`${path}.new`, path);
    expect(trusted()).toEqual(['b']);
    writeFileSync(path, '[]');
    expect(trusted()).toEqual([]);
    expect(levels()).toEqual(['info', 'info', 'info']);
  });

  it('follows a symbolic link that is turned to another file, as in mounted volumes', () => {
    const link = join(folder, 'link.json');
    symlinkSync(path, link);
    const notaries = createTrustedNotariesFile({ path: link, logger });
    expect(notaries.isTrusted(B, 1)).toBe(false);
    writeFileSync(join(folder, 'other.json'), listOf(B));
    symlinkSync(join(folder, 'other.json'), `${link}.new`);
    renameSync(`${link}.new`, link);
    expect(notaries.isTrusted(B, 1)).toBe(true);
  });

  it.each([
    ['half written', '[{"finger', 'the file is not JSON'],
    ['empty', '', 'the file is not JSON'],
    ['no list', '{"a":1}', 'must be a list'],
    ['malformed in one entry', JSON.stringify([{ fingerprint: A }, { fingerprint: 'b' }]), '1.fingerprint: must be'],
    ['with an entry that never counts', `[{"fingerprint":"${B}","validFrom":2,"validUntil":1}]`, 'validFrom'],
  ])('leaves the last good list in force when it is %s, and logs that once', (_what, text, reason) => {
    const trusted = open();
    writeFileSync(path, text);
    expect(trusted()).toEqual(['a']);
    expect(trusted()).toEqual(['a']);
    expect(levels()).toEqual(['error']);
    expect(logger.text()).toContain(reason);
    expect(logger.text()).toContain(path);
    writeFileSync(path, listOf(B));
    expect(trusted()).toEqual(['b']);
    expect(levels()).toEqual(['error', 'info']);
  });

  it('may be missing for a while', () => {
    const trusted = open();
    rmSync(path);
    expect(trusted()).toEqual(['a']);
    expect(trusted()).toEqual(['a']);
    expect(logger.text()).toContain('cannot be read (ENOENT)');
    expect(levels()).toEqual(['error']);
    writeFileSync(path, listOf(B));
    expect(trusted()).toEqual(['b']);
  });

  it('must be usable at boot, and says what is wrong where', () => {
    const issues = () => trustedNotariesFile.safeParse(path).error?.issues.map(({ path, message }) => [path, message]);
    expect(issues()).toBeUndefined();
    writeFileSync(path, JSON.stringify([{ fingerprint: A }, { fingerprint: 'b' }]));
    expect(issues()).toEqual([[[1, 'fingerprint'], expect.stringContaining('64 hex digits')]]);
    writeFileSync(path, 'x');
    expect(issues()).toEqual([[[], 'the file is not JSON']]);
    expect(() => createTrustedNotariesFile({ path, logger })).toThrow(SyntaxError);
    rmSync(path);
    expect(issues()).toEqual([[[], 'the file cannot be read (ENOENT)']]);
  });
});
