/**
 * The engagement rules as a pure model, written from the specification and not from the code. It says what each
 * operation may answer and leave behind, in every way in which operations at the same time may interleave. Only the kinds of states come
 * from the table of states.
 */
import { isBeingVerified, statesWhere } from '../../../core/engagement/attempts/states.ts';

export type Operation =
  | { readonly kind: 'open' | 'target' | 'claim' | 'force' | 'disconnect'; readonly creator: number }
  | { readonly kind: 'batch' | 'end' | 'delete' };

/**
 * What runs in the background during a step: nothing, or the jobs. The platform may be unreadable meanwhile, or
 * its list of comments cut short and its total not.
 */
export type Background = 'idle' | 'jobs' | 'jobs-blackout' | 'jobs-cut-short';

export interface Creator {
  readonly linked: boolean;
  /** There is a comment on the platform; whether it is `stored` depends on the sweeps since. */
  readonly commented: boolean;
  readonly stored: boolean;
  /** The states of the attempt in order; empty without one. */
  readonly path: readonly string[];
  readonly retries: number;
  /** A claim set the deadline. */
  readonly claimed: boolean;
}

export interface State {
  readonly ended: boolean;
  readonly deleted: boolean;
  readonly creators: readonly Creator[];
}

const MAX_RETRIES = 3;
const OPEN_STATES: readonly string[] = statesWhere(({ open }) => open);
const IDLE_STATES: readonly string[] = statesWhere((rules) => rules.open && !isBeingVerified(rules));
const FINAL_STATES: readonly string[] = statesWhere(({ terminal }) => terminal);

export const initialState = (creators: number): State => ({
  ended: false,
  deleted: false,
  creators: Array.from({ length: creators }, () => ({
    linked: true,
    commented: false,
    stored: false,
    path: [],
    retries: 0,
    claimed: false,
  })),
});

export const stateOf = ({ path }: Creator): string | undefined => path.at(-1);
export const isFinal = (creator: Creator): boolean => FINAL_STATES.includes(stateOf(creator) ?? '');

export function change(state: State, index: number, changes: Partial<Creator>): State {
  return { ...state, creators: state.creators.map((each, at) => (at === index ? { ...each, ...changes } : each)) };
}

function at(state: State, index: number): Creator {
  const creator = state.creators[index];
  if (creator === undefined) throw new RangeError(`The model has no creator ${index}.`);
  return creator;
}

function move(state: State, index: number, to: string, changes: Partial<Creator> = {}): State {
  return change(state, index, { ...changes, path: [...at(state, index).path, to] });
}

/** Where an operation stands: what it does next, and a name for that which tells it from every other standing. */
export interface Progress {
  readonly name: string;
  step(state: State): { readonly state: State; readonly next: Progress | Answer };
}

export interface Answer {
  readonly answer: string;
}

const answer = (state: State, text: string) => ({ state, next: { answer: text } });

/** The steps of an operation, each atomic; between two of them others may run. */
export function begin(operation: Operation): Progress {
  switch (operation.kind) {
    case 'open':
      return open(operation.creator);
    case 'target':
      return afterExpiry(operation.creator, target(operation.creator));
    case 'claim':
      return afterExpiry(operation.creator, claim(operation.creator));
    case 'force':
      return atomic(`force ${operation.creator}`, (state) =>
        OPEN_STATES.includes(stateOf(at(state, operation.creator)) ?? '')
          ? answer(move(state, operation.creator, 'verified'), 'ok')
          : answer(state, 'INVALID_TRANSITION'),
      );
    case 'disconnect':
      return atomic(`disconnect ${operation.creator}`, (state) =>
        at(state, operation.creator).linked
          ? answer(change(state, operation.creator, { linked: false }), 'ok')
          : answer(state, 'NOT_FOUND'),
      );
    case 'batch':
      return batch;
    case 'end':
      return atomic('end', (state) =>
        state.deleted ? answer(state, 'NOT_FOUND') : answer({ ...state, ended: true }, 'ok'),
      );
    case 'delete':
      return atomic('delete', (state) => {
        if (state.deleted) return answer(state, 'NOT_FOUND');
        if (state.creators.some(({ path }) => path.length > 0)) return answer(state, 'CAMPAIGN_HAS_ATTEMPTS');
        return answer({ ...state, deleted: true }, 'ok');
      });
  }
}

function atomic(name: string, step: Progress['step']): Progress {
  return { name, step };
}

function open(index: number): Progress {
  const exists = (state: State) => at(state, index).path.length > 0;
  const insert = atomic(`open ${index}: insert`, (state) => {
    if (state.deleted) return answer(state, 'NOT_FOUND');
    return exists(state) ? answer(state, 'ATTEMPT_EXISTS') : answer(move(state, index, 'created'), 'ok');
  });
  const handle = atomic(`open ${index}: handle`, (state) =>
    at(state, index).linked ? { state, next: insert } : answer(state, 'HANDLE_NOT_LINKED'),
  );
  const existing = (isOpen: boolean) =>
    atomic(`open ${index}: existing, ${isOpen}`, (state) => {
      if (exists(state)) return answer(state, 'ATTEMPT_EXISTS');
      return isOpen ? { state, next: handle } : answer(state, 'CAMPAIGN_INACTIVE');
    });
  return atomic(`open ${index}`, (state) =>
    state.deleted ? answer(state, 'NOT_FOUND') : { state, next: existing(!state.ended) },
  );
}

/** A claimed attempt whose campaign has ended is failed for good before anything else is done with it. */
function afterExpiry(index: number, next: Progress): Progress {
  return atomic(`expire, ${next.name}`, (state) => {
    const creator = at(state, index);
    const mayExpire = IDLE_STATES.includes(stateOf(creator) ?? '');
    const overdue = mayExpire && creator.claimed && state.ended;
    return { state: overdue ? move(state, index, 'failed_terminal') : state, next };
  });
}

function target(index: number): Progress {
  return atomic(`target ${index}`, (state) => {
    const from = stateOf(at(state, index)) ?? '';
    if (from === 'target_opened') return answer(state, 'ok');
    if (from !== 'created' && from !== 'awaiting_claim') return answer(state, 'INVALID_TRANSITION');
    return answer(move(state, index, 'target_opened'), 'ok');
  });
}

/** Judged by what is read one after the other; written only if the attempt is still as it was read. */
function claim(index: number): Progress {
  const read: Progress = atomic(`claim ${index}`, (state) => {
    const creator = at(state, index);
    const may = ['created', 'target_opened', 'awaiting_claim', 'failed_retryable'].includes(stateOf(creator) ?? '');
    return may ? { state, next: judge(creator.path.length) } : answer(state, 'INVALID_TRANSITION');
  });
  const judge = (length: number) =>
    atomic(`claim ${index}: judge ${length}`, (state) =>
      state.ended ? answer(state, 'CAMPAIGN_INACTIVE') : { state, next: write(length) },
    );
  const write = (length: number) =>
    atomic(`claim ${index}: write ${length}`, (state) => {
      const creator = at(state, index);
      if (creator.path.length !== length) return { state, next: read };
      const retries = creator.retries + (stateOf(creator) === 'failed_retryable' ? 1 : 0);
      return answer(move(state, index, 'verification_pending', { claimed: true, retries }), 'ok');
    });
  return read;
}

const indexesOf = (state: State, which: (creator: Creator) => boolean): readonly number[] =>
  state.creators.flatMap((creator, index) => (which(creator) ? [index] : []));

/** Reads who is linked and who has commented, then creates and rewards one by one. */
const batch: Progress = atomic('batch', (state) =>
  state.deleted ? answer(state, 'NOT_FOUND') : { state, next: batchLinked },
);

const batchLinked: Progress = atomic('batch: linked', (state) => ({
  state,
  next: batchStored(indexesOf(state, ({ linked }) => linked)),
}));

function batchStored(linked: readonly number[]): Progress {
  return atomic(`batch: stored, ${linked}`, (state) => ({
    state,
    next: batchCreate(indexesOf(state, ({ stored }) => stored).filter((index) => linked.includes(index))),
  }));
}

function batchCreate(matched: readonly number[]): Progress {
  return atomic(`batch: create ${matched}`, (state) => {
    const [index, ...rest] = matched;
    if (index === undefined || state.deleted) return answer(state, 'ok');
    const next = batchCreate(rest);
    if (at(state, index).path.length > 0) return { state, next };
    return { state: move(state, index, 'verified'), next: batchReward(index, next) };
  });
}

function batchReward(index: number, next: Progress): Progress {
  return atomic(`batch: reward ${index}, ${next.name}`, (state) => ({ state: reward(state, index) ?? state, next }));
}

function reward(state: State, index: number): State | null {
  return stateOf(at(state, index)) === 'verified' ? move(state, index, 'rewarded') : null;
}

/** Everything that a job may do next. */
export function backgroundSteps(state: State, background: Background): readonly State[] {
  if (background === 'idle') return [];
  // Nothing is missing from an empty list of a post without comments.
  const canRead =
    background === 'jobs' || (background === 'jobs-cut-short' && state.creators.every(({ commented }) => !commented));
  return state.creators.flatMap((creator, index) => {
    const rewarded = reward(state, index);
    if (rewarded !== null) return [rewarded];
    if (stateOf(creator) !== 'verification_pending') return [];
    const swept: State = { ...state, creators: state.creators.map((each) => ({ ...each, stored: each.commented })) };
    if (!creator.linked) return [noMatch(state, index)];
    if (creator.stored) return [move(state, index, 'verified')];
    if (!canRead) return [move(state, index, 'awaiting_claim')];
    return [swept, creator.commented ? move(swept, index, 'verified') : noMatch(swept, index)];
  });
}

function noMatch(state: State, index: number): State {
  const mayRetry = !state.ended && at(state, index).retries < MAX_RETRIES;
  return move(state, index, mayRetry ? 'failed_retryable' : 'failed_terminal');
}

/** Undecided claims are checked again; of a campaign that has ended they are over. */
export function afterRechecks(state: State): State {
  return state.creators.reduce((current, creator, index) => {
    const isUndecided = creator.claimed && ['awaiting_claim', 'target_opened'].includes(stateOf(creator) ?? '');
    if (!isUndecided) return current;
    return move(current, index, state.ended ? 'failed_terminal' : 'verification_pending');
  }, state);
}

/** A week and a day later: what was claimed and is not decided has failed. */
export function afterDeadlines(state: State): State {
  return state.creators.reduce((current, creator, index) => {
    const overdue = creator.claimed && OPEN_STATES.includes(stateOf(creator) ?? '');
    return overdue ? move(current, index, 'failed_terminal') : current;
  }, state);
}
