import { expect, it } from 'vitest';
import { FIRST_AWAITING_JOB } from '../../../adapters/mongodb/indexes.ts';
import { ATTEMPT_STATES } from '../../../core/engagement/attempts/states.ts';

it('MongoDB keeps the states that await a job, and no others, in the index of those attempts', () => {
  const awaiting = Object.entries(ATTEMPT_STATES).filter(([, { awaits }]) => awaits !== null);
  const held = Object.keys(ATTEMPT_STATES).filter((state) => state >= FIRST_AWAITING_JOB);
  expect(held.toSorted()).toEqual(awaiting.map(([state]) => state).toSorted());
});
