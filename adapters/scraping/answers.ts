/** What answers say alike on every platform. */
import { DomainError, type ErrorCode } from '../../core/errors.ts';
import type { PlatformName } from '../../core/platforms/platform-name.ts';
import type { ScrapingResponse, Verdict } from './types.ts';

/** A readable answer whose fields are not what they were. */
export const DRIFTED: Verdict<never> = { kind: 'unreadable', reason: 'drifted' };

/** What the status says alone: asked too often, or a server in trouble. Null for any other status. */
export function readTrouble({ status, retryAfterSeconds }: ScrapingResponse): Verdict<never> | null {
  if (status === 429) return { kind: 'throttled', retryAfterSeconds };
  return status >= 500 ? { kind: 'unreadable', reason: `http-${status}`, retries: 2 } : null;
}

/** Why a body that should be a JSON object is none. */
export function whyNoJson(text: string): string {
  const start = text.trimStart();
  if (start === '') return 'empty-body';
  return start.startsWith('<') ? 'html-instead-of-json' : 'not-json';
}

/** An error that says why, in a word that programs can compare. */
export function refusalOf(
  platform: PlatformName,
  code: ErrorCode,
  message: string,
  reason: string,
  cause?: unknown,
): DomainError {
  return new DomainError(code, message, { details: { reason, platform }, cause });
}

/** A clear answer that asking again would not change. */
export function clearRefusal(platform: PlatformName, code: ErrorCode, message: string, reason: string): Verdict<never> {
  return { kind: 'permanent', error: refusalOf(platform, code, message, reason) };
}
