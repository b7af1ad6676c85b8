import { expect, it } from 'vitest';
import {
  ATTEMPT_STATE_NAMES,
  isBeingVerified,
  isRewarded,
  rulesOf,
  statesThatTake,
  statesWhere,
} from '../../../core/engagement/attempts/states.ts';

it('groups the states as the specification does', () => {
  expect(statesWhere(({ terminal }) => terminal)).toEqual(['rewarded', 'failed_terminal']);
  expect(statesWhere(({ open }) => !open)).toEqual(['verified', 'rewarded', 'failed_terminal']);
  expect(statesWhere(({ awaits }) => awaits !== null)).toEqual(['verification_pending', 'verified']);
  expect(statesWhere(isBeingVerified)).toEqual(['verification_pending']);
  expect(statesWhere(isRewarded)).toEqual(['rewarded']);
  expect(statesThatTake('recheck')).toEqual(['target_opened', 'awaiting_claim']);
});

it.each(ATTEMPT_STATE_NAMES)('has rules that fit together for %s', (state) => {
  const { open, terminal, awaits, takes, announces } = rulesOf(state);
  // Something moves every attempt on that is not over, and nothing one that is.
  expect(terminal).toBe(!open && takes.length === 0);
  if (terminal) expect(awaits).toBeNull();
  if (awaits === 'issue-reward') expect(takes).toContain('issue-reward');
  if (awaits === 'verify-attempt') expect(takes).toEqual(expect.arrayContaining(['record-match', 'record-no-match']));
  // What is decided was announced, and what was rewarded was verified.
  if (!open) expect(announces).not.toEqual([]);
  if (announces.includes('reward.issued')) expect(announces).toContain('creator.verified');
  // Stored and compared as text, in SQL too.
  expect(state).toMatch(/^[a-z_]+$/);
});
