/**
 * Conditions on an attempt's state, and the partial indexes over them, from the table of states. SQLite uses a partial index
 * only for a query that repeats its condition.
 */
import {
  type AttemptState,
  isBeingVerified,
  isRewarded,
  statesThatTake,
  statesWhere,
} from '../../core/engagement/attempts/states.ts';

const list = (states: readonly AttemptState[]) => `(${states.map((state) => `'${state}'`).join(', ')})`;

export const OPEN = `state NOT IN ${list(statesWhere(({ open }) => !open))}`;
export const BEING_VERIFIED = `state IN ${list(statesWhere(isBeingVerified))}`;
export const AWAITING_JOBS = `state IN ${list(statesWhere(({ awaits }) => awaits !== null))}`;
export const AWAITING_RECHECK = `state IN ${list(statesThatTake('recheck'))}`;
export const REWARDED = `state IN ${list(statesWhere(isRewarded))}`;
/** Held by a limit: the text of `held` begins so. Both storages compare texts by their characters. */
export const IN_LINE = `held > '{"why":"limit"' AND held < '{"why":"limit#'`;
