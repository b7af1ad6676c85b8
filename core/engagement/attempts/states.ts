/**
 * The states of an attempt in one table (docs/specification/engagement.md#states-and-transitions). Queries, indexes, the API's
 * schemas and tests derive from it: to add a state, add a row.
 */
import type { AttemptEventName, OutboxJob } from '../webhooks/outbox.ts';

/** What can happen to an attempt; `AttemptCommand` says what comes with each. */
export type AttemptCommandType =
  | 'open-target'
  | 'claim'
  | 'record-match'
  | 'record-no-match'
  | 'hand-back'
  | 'recheck'
  | 'expire'
  | 'force-verify'
  | 'issue-reward'
  | 'hold'
  | 'review';

export interface StateRules {
  /** Undecided. The attempt expires with its deadline, and an admin may verify it: it takes `expire` and `force-verify`. */
  readonly open: boolean;
  /** No command moves the attempt any more. */
  readonly terminal: boolean;
  /** The job that moves the attempt on; null if the creator or time does. It is queued with the move into the state. */
  readonly awaits: OutboxJob['type'] | null;
  /** The events that were announced on the way here and may be sent again, in their order. */
  readonly announces: readonly AttemptEventName[];
  /** Which commands the state takes, besides those of open states. */
  readonly takes: readonly Exclude<AttemptCommandType, OpenCommand>[];
}

type OpenCommand = 'expire' | 'force-verify';

const COMMANDS_OF_OPEN_STATES: readonly AttemptCommandType[] = ['expire', 'force-verify'] satisfies OpenCommand[];

/** A row says what is not so for most states. */
const rules = (own: Partial<StateRules>): StateRules => ({
  open: false,
  terminal: false,
  awaits: null,
  announces: [],
  takes: [],
  ...own,
});

/** In the order in which an attempt may reach them. */
export const ATTEMPT_STATES = {
  created: rules({ open: true, takes: ['open-target', 'claim'] }),
  target_opened: rules({ open: true, takes: ['open-target', 'claim', 'recheck'] }),
  awaiting_claim: rules({ open: true, takes: ['open-target', 'claim', 'recheck'] }),
  verification_pending: rules({
    open: true,
    awaits: 'verify-attempt',
    takes: ['record-match', 'record-no-match', 'hand-back'],
  }),
  verified: rules({
    awaits: 'issue-reward',
    announces: ['creator.verified'],
    takes: ['issue-reward', 'hold', 'review'],
  }),
  rewarded: rules({ terminal: true, announces: ['creator.verified', 'reward.issued'] }),
  failed_retryable: rules({ open: true, announces: ['verification.failed'], takes: ['claim'] }),
  failed_terminal: rules({ terminal: true, announces: ['verification.failed'] }),
};

/** The names of the states. */
export type AttemptState = keyof typeof ATTEMPT_STATES;

export const ATTEMPT_STATE_NAMES = Object.keys(ATTEMPT_STATES) as readonly AttemptState[];

export function rulesOf(state: AttemptState): StateRules {
  return ATTEMPT_STATES[state];
}

/** The states whose rules the test accepts, in the table's order. */
export function statesWhere(test: (rules: StateRules, state: AttemptState) => boolean): readonly AttemptState[] {
  return ATTEMPT_STATE_NAMES.filter((state) => test(ATTEMPT_STATES[state], state));
}

/** True if the command may move an attempt in this state; any other command is refused or changes nothing. */
export function takes(state: AttemptState, command: AttemptCommandType): boolean {
  const { open, takes: own } = ATTEMPT_STATES[state];
  return (open && COMMANDS_OF_OPEN_STATES.includes(command)) || own.some((each) => each === command);
}

/** The states from which a command moves an attempt. */
export function statesThatTake(command: AttemptCommandType): readonly AttemptState[] {
  return statesWhere((_rules, state) => takes(state, command));
}

/** The points were issued. */
export function isRewarded({ announces }: StateRules): boolean {
  return announces.includes('reward.issued');
}

/** A verification is under way: a job that was started in time may finish shortly after the deadline. */
export function isBeingVerified({ open, awaits }: StateRules): boolean {
  return open && awaits !== null;
}
