/** Compares a reading of a canary with the ones before, and announces what changed. Pure. */
import type { PlatformEvent } from '../engagement/webhooks/outbox.ts';
import type { PlatformName } from '../platforms/platform-name.ts';
import type { CanaryFailure, CanaryRecord, CanaryVerdict } from './canary.ts';

/** What came of reading a canary. */
export interface CanaryReading {
  readonly target: string;
  readonly platform: PlatformName;
  /** The fields that have a value, or why there is no reading. */
  readonly result: { readonly fields: readonly string[] } | { readonly failure: CanaryFailure };
  readonly durationMs: number;
}

/** The record after a reading, and the event that tells of the change; null if nothing changed that is worth one. */
export interface Judgement {
  readonly record: CanaryRecord;
  readonly event: PlatformEvent | null;
}

/**
 * Compares a reading with the first one of its canary, and with fields that appeared later. An event is due if the verdict
 * changes, or if a canary that has drifted lacks a further field. Another reason for the same failure is no event.
 */
export function judge(before: CanaryRecord | null, reading: CanaryReading, now: Date): Judgement {
  const { target, platform, result, durationMs } = reading;
  const found = 'fields' in result ? result.fields : null;
  const known = before?.fields ?? [];
  const missing = found === null ? [] : known.filter((field) => !found.includes(field));
  const verdict: CanaryVerdict = found === null ? 'failed' : missing.length > 0 ? 'drifted' : 'ok';
  const isNew = verdict !== (before?.verdict ?? 'ok');
  const record: CanaryRecord = {
    target,
    platform,
    verdict,
    since: before === null || isNew ? now : before.since,
    fields: [...new Set([...known, ...(found ?? [])])].sort(),
    missing,
    failure: 'failure' in result ? result.failure : null,
    readAt: now,
    lastOkAt: verdict === 'ok' ? now : (before?.lastOkAt ?? null),
    durationMs,
    revision: (before?.revision ?? 0) + 1,
  };
  const lostMore = verdict === 'drifted' && missing.some((field) => !before?.missing.includes(field));
  return { record, event: isNew || lostMore ? eventOf(record, before) : null };
}

function eventOf(record: CanaryRecord, before: CanaryRecord | null): PlatformEvent {
  const { platform, target: canary, verdict, missing, failure, readAt } = record;
  const shared = { timestamp: readAt, brandId: null } as const;
  if (verdict === 'ok') {
    const troubledSince = (before?.since ?? readAt).toISOString();
    return { ...shared, event: 'platform.recovered', data: { platform, canary, verdict, missing, troubledSince } };
  }
  const why = failure === null ? {} : { error: failure.code, message: failure.message };
  return { ...shared, event: 'platform.drifted', data: { platform, canary, verdict, missing, ...why } };
}
