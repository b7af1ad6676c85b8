import { describe, expect, it } from 'vitest';
import type { Attempt } from '../../../core/engagement/attempts/attempt.ts';
import type { AttemptCommand, AttemptContext } from '../../../core/engagement/attempts/attempt-command.ts';
import { attemptEvent, eligibleEvents } from '../../../core/engagement/attempts/attempt-events.ts';
import { decide } from '../../../core/engagement/attempts/attempt-machine.ts';
import {
  isOpen,
  LAST_CHECK_BEFORE_MS,
  PENDING_GRACE_MS,
  VERIFICATION_WINDOW_MS,
} from '../../../core/engagement/attempts/deadline.ts';
import { decideByComment } from '../../../core/engagement/attempts/decide-by-comment.ts';
import type { AttemptCommandType } from '../../../core/engagement/attempts/states.ts';
import { ATTEMPT_STATE_NAMES, type AttemptState } from '../../../core/engagement/attempts/states.ts';
import { sampleAttempt, sampleCampaign, sampleContext, T0 } from '../../support/engagement-samples.ts';

const at = (ms: number) => new Date(T0.getTime() + ms);
const comment = { commentText: 'love it', commentedAt: at(-1000) };

function moved(attempt: Attempt, command: AttemptCommand, context: AttemptContext = sampleContext()) {
  const decision = decide(attempt, command, context);
  if (decision.kind !== 'moved') throw new Error(`expected a move, got ${decision.kind}`);
  return decision;
}

function refusal(attempt: Attempt, command: AttemptCommand, context: AttemptContext = sampleContext()) {
  const decision = decide(attempt, command, context);
  if (decision.kind !== 'refused') throw new Error(`expected a refusal, got ${decision.kind}`);
  return decision.error;
}

const sampleOf: { readonly [T in AttemptCommandType]: Extract<AttemptCommand, { type: T }> } = {
  'open-target': { type: 'open-target' },
  claim: { type: 'claim' },
  'record-match': { type: 'record-match', comment },
  'record-no-match': { type: 'record-no-match' },
  'hand-back': { type: 'hand-back', why: 'PLATFORM_TIMEOUT', recheckInMs: 900_000 },
  recheck: { type: 'recheck' },
  expire: { type: 'expire' },
  'force-verify': { type: 'force-verify', comment: null },
  'issue-reward': { type: 'issue-reward' },
  hold: { type: 'hold', why: 'limit' },
  review: { type: 'review', review: { decision: 'refuse', at: new Date(0), reason: 'no', by: 'b' } },
};

/** From the specification, written out by hand: where each command leads from each state; every other one is refused. */
const EXPECTED: Record<AttemptState, Partial<Record<AttemptCommandType, AttemptState | 'unchanged'>>> = {
  created: {
    'open-target': 'target_opened',
    claim: 'verification_pending',
    expire: 'unchanged',
    'force-verify': 'verified',
  },
  target_opened: {
    'open-target': 'unchanged',
    claim: 'verification_pending',
    recheck: 'unchanged',
    expire: 'unchanged',
    'force-verify': 'verified',
  },
  awaiting_claim: {
    'open-target': 'target_opened',
    claim: 'verification_pending',
    recheck: 'unchanged',
    expire: 'unchanged',
    'force-verify': 'verified',
  },
  verification_pending: {
    'record-match': 'verified',
    'record-no-match': 'failed_retryable',
    'hand-back': 'awaiting_claim',
    expire: 'unchanged',
    'force-verify': 'verified',
  },
  verified: { 'issue-reward': 'rewarded', hold: 'verified', review: 'verified' },
  rewarded: { 'issue-reward': 'unchanged' },
  failed_retryable: { claim: 'verification_pending', expire: 'unchanged', 'force-verify': 'verified' },
  failed_terminal: {},
};

describe('every command from every state', () => {
  for (const type of Object.keys(sampleOf) as AttemptCommandType[]) {
    for (const state of ATTEMPT_STATE_NAMES) {
      const expected = EXPECTED[state][type] ?? 'refused';
      it(`${type} from ${state}: ${expected}`, () => {
        const decision = decide(sampleAttempt({ state }), sampleOf[type], sampleContext());
        if (decision.kind !== 'moved') {
          expect(decision.kind).toBe(expected);
          if (decision.kind === 'refused') {
            expect(decision.error).toMatchObject({ code: 'INVALID_TRANSITION', details: { attemptId: 77, state } });
            expect(decision.error.message).toContain(state);
          }
          return;
        }
        expect(decision.after.state).toBe(expected);
        expect(decision.after.revision).toBe(1);
        expect(decision.after.updatedAt).toEqual(T0);
        expect(decision.after.stateHistory.at(-1)).toMatchObject({ state: expected, at: T0 });
        expect(decision.after.stateHistory.at(-1)?.reason).toMatch(/\S/);
      });
    }
  }
});

it('a refusal names the action of the API and the states from which it is possible', () => {
  expect(refusal(sampleAttempt({ state: 'verified' }), { type: 'open-target' })).toMatchObject({
    code: 'INVALID_TRANSITION',
    message:
      'An attempt in state "verified" does not take "target_opened"; it is possible from: created, target_opened, awaiting_claim.',
    details: { attemptId: 77, state: 'verified', allowedFrom: ['created', 'target_opened', 'awaiting_claim'] },
  });
  expect(refusal(sampleAttempt({ state: 'verified' }), { type: 'claim' })?.message).toContain('"claim_completion"');
  const forced = refusal(sampleAttempt({ state: 'verified' }), { type: 'force-verify', comment: null });
  expect(forced?.message).toContain('"force-verify"');
});

describe('claim', () => {
  it('sets the deadline once, seven days on, and asks for a verification', () => {
    const { after, outbox } = moved(sampleAttempt(), { type: 'claim' });
    expect(after.verificationDeadline).toEqual(at(7 * 86_400_000));
    expect(outbox).toEqual([{ id: 'id-1', kind: 'job', job: { type: 'verify-attempt', attemptId: 77 } }]);
    const later = moved({ ...after, state: 'awaiting_claim' }, { type: 'claim' }, sampleContext({ now: at(5000) }));
    expect(later.after.verificationDeadline).toEqual(at(VERIFICATION_WINDOW_MS));
  });

  it('takes the end of the campaign when that is sooner', () => {
    const deadline = (endsAt: Date) => {
      const context = sampleContext({ campaign: sampleCampaign({ endsAt }) });
      return moved(sampleAttempt(), { type: 'claim' }, context).after.verificationDeadline;
    };
    expect(deadline(at(60_000))).toEqual(at(60_000));
    expect(deadline(at(VERIFICATION_WINDOW_MS + 1))).toEqual(at(VERIFICATION_WINDOW_MS));
  });

  it.each([
    ['ended', { isActive: false, endsAt: at(-1) }],
    ['past its end', { endsAt: T0 }],
    ['not started', { startsAt: at(1) }],
  ])('is refused when the campaign is %s', (_, changes) => {
    const context = sampleContext({ campaign: sampleCampaign(changes) });
    expect(refusal(sampleAttempt(), { type: 'claim' }, context).code).toBe('CAMPAIGN_INACTIVE');
  });
});

describe('results of a verification', () => {
  const pending = (changes: Partial<Attempt> = {}) =>
    sampleAttempt({ state: 'verification_pending', verificationDeadline: at(10_000), ...changes });

  it('no match leaves another try before the deadline, none at it', () => {
    const before = moved(pending(), { type: 'record-no-match' }, sampleContext({ now: at(9_999) }));
    expect(before.after).toMatchObject({ state: 'failed_retryable', lastVerificationAt: at(9_999) });
    expect(before.after.stateHistory.at(-1)?.reason).toBe('no match found');
    expect(before.outbox).toMatchObject([{ event: { data: { reason: 'retryable' } } }]);
    const late = moved(pending(), { type: 'record-no-match' }, sampleContext({ now: at(10_000) }));
    expect(late.after).toMatchObject({ state: 'failed_terminal', lastVerificationAt: at(10_000) });
    expect(late.after.stateHistory.at(-1)?.reason).toBe('no match found before the deadline');
  });

  it('a campaign ended early moves the deadline', () => {
    const campaign = sampleCampaign({ isActive: false, endsAt: at(-1) });
    const { after } = moved(pending(), { type: 'record-no-match' }, sampleContext({ campaign }));
    expect(after.state).toBe('failed_terminal');
  });

  it('an undecided verification costs no retry, announces nothing and is planned again', () => {
    const command = { type: 'hand-back', why: 'POST_PRIVATE', recheckInMs: 900_000 } as const;
    const { after, outbox } = moved(pending({ retryCount: 2, verificationDeadline: null }), command);
    expect(after).toMatchObject({ state: 'awaiting_claim', retryCount: 2, lastVerificationAt: null });
    expect(after.stateHistory.at(-1)?.reason).toBe('POST_PRIVATE');
    expect(after.recheck).toEqual({ at: at(900_000), count: 1, why: 'POST_PRIVATE' });
    expect(outbox).toEqual([]);
    const again = moved({ ...after, state: 'verification_pending' }, { ...command, why: 'partial' });
    expect(again.after.recheck).toEqual({ at: at(900_000), count: 2, why: 'partial' });
  });

  it.each([
    ['before the last check', LAST_CHECK_BEFORE_MS + 2, 1, 1],
    ['past the last check', LAST_CHECK_BEFORE_MS + 2, 900_000, 2],
    ['with no time left for a last check', LAST_CHECK_BEFORE_MS, 900_000, LAST_CHECK_BEFORE_MS],
    ['past the deadline', -5, 900_000, -5],
  ])('plans the next check no later than just before the deadline: %s', (_when, deadline, recheckInMs, expected) => {
    const attempt = pending({ verificationDeadline: at(deadline) });
    const { after } = moved(attempt, { type: 'hand-back', why: 'why', recheckInMs });
    expect(after.recheck?.at).toEqual(at(expected));
  });
});

describe('recheck', () => {
  const undecided = (changes: Partial<Attempt> = {}) =>
    sampleAttempt({
      state: 'awaiting_claim',
      retryCount: 1,
      verificationDeadline: at(5000),
      recheck: { at: at(1000), count: 1, why: 'only 11 of 551 comments could be read' },
      ...changes,
    });

  it.each(['awaiting_claim', 'target_opened'] as const)('verifies again from %s, at its time', (state) => {
    const attempt = undecided({ state });
    expect(decide(attempt, { type: 'recheck' }, sampleContext({ now: at(999) })).kind).toBe('unchanged');
    const { after, outbox } = moved(attempt, { type: 'recheck' }, sampleContext({ now: at(1000) }));
    expect(after).toMatchObject({ state: 'verification_pending', retryCount: 1, recheck: attempt.recheck });
    expect(after.stateHistory.at(-1)?.reason).toBe('checked again');
    expect(outbox).toMatchObject([{ kind: 'job', job: { type: 'verify-attempt', attemptId: attempt.id } }]);
  });

  it('does nothing for an attempt without an undecided claim', () => {
    const attempt = undecided({ recheck: null });
    expect(decide(attempt, { type: 'recheck' }, sampleContext({ now: at(1000) })).kind).toBe('unchanged');
  });

  it.each([
    ['recheck', 5000],
    ['expire', 5000],
  ] as const)('at the deadline ends the attempt with a reason of its own: %s', (type, ms) => {
    const { after, outbox } = moved(undecided(), { type }, sampleContext({ now: at(ms) }));
    expect(after).toMatchObject({ state: 'failed_terminal', recheck: null });
    expect(after.stateHistory.at(-1)?.reason).toBe(
      'verification deadline passed, claim undecided: only 11 of 551 comments could be read',
    );
    expect(outbox).toMatchObject([{ event: { event: 'verification.failed', data: { reason: 'terminal' } } }]);
  });

  it('ends when the campaign ends', () => {
    const context = sampleContext({ now: at(1000), campaign: sampleCampaign({ endsAt: at(900) }) });
    expect(moved(undecided(), { type: 'recheck' }, context).after.state).toBe('failed_terminal');
  });
});

describe('expire', () => {
  it('fails a claimed attempt for good at its deadline', () => {
    const attempt = sampleAttempt({ state: 'failed_retryable', verificationDeadline: at(1000) });
    expect(decide(attempt, { type: 'expire' }, sampleContext({ now: at(999) })).kind).toBe('unchanged');
    const { after, outbox } = moved(attempt, { type: 'expire' }, sampleContext({ now: at(1000) }));
    expect(after.state).toBe('failed_terminal');
    expect(after.stateHistory.at(-1)?.reason).toBe('verification deadline passed');
    expect(outbox).toMatchObject([{ event: { event: 'verification.failed', data: { reason: 'terminal' } } }]);
  });

  it('lets a verification under way finish', () => {
    const attempt = sampleAttempt({ state: 'verification_pending', verificationDeadline: at(1000) });
    expect(decide(attempt, { type: 'expire' }, sampleContext({ now: at(2000) })).kind).toBe('unchanged');
    const lost = sampleContext({ now: at(1000 + PENDING_GRACE_MS) });
    expect(moved(attempt, { type: 'expire' }, lost).after.state).toBe('failed_terminal');
  });
});

it('an event that is sent again is as it was announced, with the times and texts of then', () => {
  const pending = (retryCount = 0) => sampleAttempt({ state: 'verification_pending', retryCount });
  const verified = moved(pending(), { type: 'record-match', comment });
  const rewarded = moved(verified.after, { type: 'issue-reward' }, sampleContext({ now: at(3000) }));
  const failed = (retryCount: number) =>
    moved(pending(retryCount), { type: 'record-no-match' }, sampleContext({ now: at(2000) }));
  for (const moves of [[verified, rewarded], [failed(0)], [failed(3)]]) {
    const { after } = moves.at(-1) ?? expect.fail();
    const again = eligibleEvents(after).map((name) => attemptEvent(after, sampleContext({ now: at(9000) }), name));
    expect(again).toEqual(moves.map(({ outbox: [entry] }) => entry?.kind === 'event' && entry.event));
  }
});

describe('isOpen', () => {
  it('includes the start and excludes the end', () => {
    expect(isOpen({ isActive: true, startsAt: T0, endsAt: at(1) }, T0)).toBe(true);
    expect(isOpen({ isActive: true, startsAt: T0, endsAt: at(1) }, at(1))).toBe(false);
  });
});

describe('hold', () => {
  it('keeps the attempt verified, without a job, until the reward', () => {
    const verified = sampleAttempt({ state: 'verified', verifiedAt: T0 });
    const { after, outbox } = moved(verified, { type: 'hold', why: 'limit', note: 'maxRewards' });
    expect(outbox).toEqual([]);
    expect(after).toMatchObject({ held: { why: 'limit', since: T0, note: 'maxRewards' }, checkAt: null });
    expect(after.stateHistory.at(-1)).toEqual({ state: 'verified', at: T0, reason: 'reward held: limit: maxRewards' });
    const later = sampleContext({ now: at(5000) });
    // Looked at again: others who decide at the same time lose their race, and nothing is told twice.
    const again = moved(after, { type: 'hold', why: 'limit', note: 'maxRewards', checkAt: at(9000) }, later);
    const looked = { ...after, checkAt: at(9000), revision: after.revision + 1 };
    expect(again).toEqual({ kind: 'moved', outbox: [], after: looked });
    const other = moved(again.after, { type: 'hold', why: 'review' }, later).after;
    expect(other).toMatchObject({ held: { why: 'review', since: at(5000) }, checkAt: null });
    const rewarded = moved(other, { type: 'issue-reward' }, later).after;
    expect(rewarded).toMatchObject({ state: 'rewarded', held: null, checkAt: null });
  });

  it('a batch or a pushed comment leaves the reward to a job if something may hold it', () => {
    const context = sampleContext({ campaign: sampleCampaign({ limits: { maxRewards: 1 } }) });
    const decision = decideByComment(sampleAttempt(), { comment, seenAt: T0 }, context);
    if (decision.kind !== 'moved') throw new Error('expected a move');
    expect(decision.after.state).toBe('verified');
    expect(decision.outbox.map((entry) => (entry.kind === 'job' ? entry.job.type : entry.event.event))).toEqual([
      'creator.verified',
      'issue-reward',
    ]);
  });
});
