/** The audit trail around actions, on a real storage. */
import { expect, it } from 'vitest';
import { type AuditedAction, recordAction } from '../../../core/access/audit.ts';
import { DomainError } from '../../../core/errors.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';
import { storageOfEachTest } from '../../support/storage-of-test.ts';
import { ADMIN } from '../http/requests.ts';

const AT = new Date('2026-11-01T09:30:00Z');
const clock = { now: () => AT };

const storage = storageOfEachTest();

const action: AuditedAction = {
  caller: ADMIN,
  operation: 'createBrand',
  kind: 'brand',
  id: undefined,
  externalId: undefined,
  requestId: 'request-1',
};
const entries = async () => (await storage.audit.list({}, { page: 1, limit: 9 })).items;

it('records a refusal with its code and nothing of an unexpected failure, and throws it on', async () => {
  const record = recordAction({ storage, clock });
  for (const error of [new DomainError('CONFLICT', 'taken'), new Error('password=hunter2')]) {
    await expect(
      record(
        action,
        () => Promise.reject(error),
        () => undefined,
      ),
    ).rejects.toBe(error);
  }
  const found = await entries();
  expect(found.map((entry) => [entry.outcome, entry.error, entry.after])).toEqual([
    ['refused', 'INTERNAL_ERROR', null],
    ['refused', 'CONFLICT', null],
  ]);
  expect(JSON.stringify(found)).not.toContain('hunter2');
});

it('runs nothing if the entry cannot be stored', async () => {
  const audit = { ...storage.audit, append: () => Promise.reject(new Error('down')) };
  const record = recordAction({ storage: { ...storage, audit }, clock });
  let ran = false;
  const run = async () => {
    ran = true;
  };
  await expect(record(action, run, () => undefined)).rejects.toThrow('down');
  expect(ran).toBe(false);
});

it('answers as ever if the outcome cannot be stored, logs it, and leaves the entry without one', async () => {
  const logger = createRecordingLogger();
  const audit = { ...storage.audit, conclude: () => Promise.reject(new Error('down')) };
  const record = recordAction({ storage: { ...storage, audit }, clock, logger });
  expect(
    await record(
      action,
      async () => 'done',
      () => undefined,
    ),
  ).toBe('done');
  expect(await entries()).toMatchObject([{ outcome: 'unknown', error: null }]);
  expect(JSON.stringify(logger.lines)).toContain('is not in the audit log');
});
