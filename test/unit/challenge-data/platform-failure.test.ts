import { describe, expect, it } from 'vitest';
import {
  isOutOfReach,
  isPermanent,
  isPlatformFailure,
} from '../../../core/engagement/challenge-data/platform-failure.ts';
import { DomainError, type ErrorCode } from '../../../core/errors.ts';

const PERMANENT: readonly ErrorCode[] = [
  'POST_NOT_FOUND',
  'PROFILE_NOT_FOUND',
  'POST_PRIVATE',
  'PROFILE_PRIVATE',
  'POST_AGE_RESTRICTED',
  'POST_UNAVAILABLE',
  'NOT_SUPPORTED',
];
const PASSING: readonly ErrorCode[] = ['SCRAPING_RATE_LIMITED', 'PLATFORM_UNAVAILABLE', 'PLATFORM_TIMEOUT'];
const OURS: readonly ErrorCode[] = ['INVALID_REQUEST', 'NOT_FOUND', 'SERVICE_UNAVAILABLE', 'INTERNAL_ERROR'];

describe('a failure', () => {
  it.each(PERMANENT)('%s is final', (code) => {
    const error = new DomainError(code, 'no');
    expect([isPermanent(error), isPlatformFailure(error)]).toEqual([true, true]);
  });

  it.each(PASSING)('%s of the platform may pass', (code) => {
    const error = new DomainError(code, 'no');
    expect([isPermanent(error), isPlatformFailure(error)]).toEqual([false, true]);
  });

  it.each([...OURS.map((code) => new DomainError(code, 'no')), new TypeError('defect'), undefined])(
    '%s says nothing about the platform',
    (error) => {
      expect([isPermanent(error), isPlatformFailure(error), isOutOfReach(error)]).toEqual([false, false, false]);
    },
  );

  it('is out of reach for want of support or of a session, nothing else', () => {
    const wall = (reason?: string) =>
      new DomainError('PLATFORM_UNAVAILABLE', 'wall', reason ? { details: { reason } } : {});
    expect(isOutOfReach(new DomainError('NOT_SUPPORTED', 'no'))).toBe(true);
    expect(isOutOfReach(wall('session-required'))).toBe(true);
    expect(isOutOfReach(wall('blocked'))).toBe(false);
    expect(isOutOfReach(wall())).toBe(false);
    const details = { reason: 'session-required' };
    expect(isOutOfReach(new DomainError('PLATFORM_TIMEOUT', 'slow', { details }))).toBe(false);
  });
});
