import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Attempt } from '../../core/engagement/attempts/attempt.ts';
import type { AttemptCommand } from '../../core/engagement/attempts/attempt-command.ts';
import { decide } from '../../core/engagement/attempts/attempt-machine.ts';
import { isBeingVerified, rulesOf, takes } from '../../core/engagement/attempts/states.ts';
import { sampleAttempt, sampleCampaign, sampleContext, T0 } from '../support/engagement-samples.ts';
import { runs } from '../support/property-runs.ts';

const command: fc.Arbitrary<AttemptCommand> = fc.oneof(
  fc.constantFrom<AttemptCommand>(
    { type: 'open-target' },
    { type: 'claim' },
    { type: 'claim' },
    { type: 'record-no-match' },
    { type: 'record-no-match' },
    { type: 'hand-back', why: 'PLATFORM_TIMEOUT', recheckInMs: 900_000 },
    { type: 'recheck' },
    { type: 'recheck' },
    { type: 'expire' },
    { type: 'force-verify', comment: null },
    { type: 'issue-reward' },
  ),
  fc
    .string()
    .map((commentText): AttemptCommand => ({ type: 'record-match', comment: { commentText, commentedAt: T0 } })),
);

/** Commands, each some time after the one before; days now and then, so that deadlines pass. */
const steps = fc.array(fc.record({ command, waitMs: fc.oneof(fc.nat(60_000), fc.nat(3 * 24 * 60 * 60 * 1000)) }), {
  maxLength: 40,
});
const endsAfterMs = fc.option(fc.nat(10 * 24 * 60 * 60 * 1000), { nil: null });

it('any sequence of commands keeps the invariants of an attempt', () => {
  fc.assert(
    fc.property(steps, endsAfterMs, fc.nat(1000), (sequence, endsAfter, pointsReward) => {
      const campaign = sampleCampaign({
        pointsReward,
        endsAt: endsAfter === null ? null : new Date(T0.getTime() + endsAfter),
      });
      let ids = 0;
      let now = T0;
      let attempt: Attempt = sampleAttempt();
      const path = ['created'];
      const announced: string[] = [];
      let moves = 0;
      for (const step of sequence) {
        now = new Date(now.getTime() + step.waitMs);
        const before = structuredClone(attempt);
        const context = sampleContext({ campaign, now, newId: () => `id-${++ids}` });
        const decision = decide(attempt, step.command, context);
        // Pure: what went in is as it was.
        expect(attempt).toEqual(before);
        if (decision.kind !== 'moved') continue;

        // Terminal states are final.
        expect(rulesOf(before.state).terminal).toBe(false);
        moves += 1;
        attempt = decision.after;
        path.push(attempt.state);
        for (const entry of decision.outbox) if (entry.kind === 'event') announced.push(entry.event.event);

        expect(attempt.revision).toBe(moves);
        expect(attempt.stateHistory.map((entry) => entry.state)).toEqual(path);
        expect(attempt.retryCount).toBeGreaterThanOrEqual(before.retryCount);
        expect(attempt.retryCount).toBeLessThanOrEqual(attempt.maxRetries);
        // The first deadline stays.
        if (before.verificationDeadline) expect(attempt.verificationDeadline).toEqual(before.verificationDeadline);
        // An undecided claim is checked again, until its deadline at the latest; a decided one is not.
        const canWait = takes(attempt.state, 'recheck') || isBeingVerified(rulesOf(attempt.state));
        if (attempt.state === 'awaiting_claim') expect(attempt.recheck).not.toBeNull();
        if (!canWait || step.command.type === 'claim') expect(attempt.recheck).toBeNull();
        if (step.command.type === 'hand-back') {
          const checkedBy = Math.max(attempt.verificationDeadline?.getTime() ?? 0, now.getTime());
          expect(attempt.recheck?.at.getTime()).toBeLessThanOrEqual(checkedBy);
          expect(attempt.retryCount).toBe(before.retryCount);
          expect(decision.outbox).toEqual([]);
        }
        // Each move into a state queues the job that the state awaits.
        const jobs = decision.outbox.flatMap((entry) => (entry.kind === 'job' ? [entry.job.type] : []));
        const { awaits } = rulesOf(attempt.state);
        expect(jobs).toEqual(awaits === null ? [] : [awaits]);
      }
      const times = (name: string) => announced.filter((event) => event === name).length;
      const failures = path.filter((state) => state.startsWith('failed_')).length;
      expect(times('creator.verified')).toBe(attempt.verifiedAt ? 1 : 0);
      expect(times('reward.issued')).toBe(attempt.state === 'rewarded' ? 1 : 0);
      expect(times('verification.failed')).toBe(failures);
      expect(failures).toBeLessThanOrEqual(attempt.maxRetries + 1);
      expect(attempt.pointsAwarded).toBe(attempt.state === 'rewarded' ? pointsReward : 0);
    }),
    runs(250),
  );
});
