/**
 * The engagement use cases on real storages against a pure model (fast-check commands). Operations of one step run at the
 * same time, through two storages over one database as two processes would. What they answer and leave behind has to be
 * one of the outcomes that the model has for some interleaving of them.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { statesWhere } from '../../core/engagement/attempts/states.ts';
import { isDomainError } from '../../core/errors.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { createEngagementWorld, type EngagementWorld } from '../support/engagement-world.ts';
import { runs } from '../support/property-runs.ts';
import { createTestStorage, eachStorage } from '../support/storage.ts';
import { outcomesOf } from './engagement-model/interleavings.ts';
import {
  afterDeadlines,
  afterRechecks,
  type Background,
  type Creator,
  change,
  initialState,
  isFinal,
  type Operation,
  type State,
  stateOf,
} from './engagement-model/model.ts';

const CREATORS = 3;
const POINTS = 7;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Far below a week, so that no number of checks reaches a deadline. */
const RECHECK_SCALE = 0.0001;
const LONGEST_RECHECK_MS = 0.5 * DAY_MS * RECHECK_SCALE;

/** What the model knows after some steps: where it may be, given everything that was seen. */
interface Belief {
  states: readonly State[];
}

/** One campaign, its creators and their attempts, in the system. */
interface Reality {
  readonly world: EngagementWorld;
  readonly campaignId: number;
  readonly challengeId: number;
  readonly names: readonly string[];
  readonly attemptIds: (number | undefined)[];
  /** Events handed over before this run. */
  readonly eventsBefore: number;
}

type Command = fc.AsyncCommand<Belief, Reality>;

/** Calls go to the two by turns. */
function byTurns(first: Storage, second: Storage): Storage {
  let turn = 0;
  const parts = Object.entries(first).map(([name, part]: [string, unknown]) => {
    if (typeof part !== 'object' || part === null) return [name, part];
    const other: unknown = Reflect.get(second, name);
    const proxy = new Proxy(part, {
      get(target, key) {
        turn += 1;
        return Reflect.get(turn % 2 === 0 ? target : Object(other), key);
      },
    });
    return [name, proxy];
  });
  return Object.fromEntries(parts) as Storage;
}

async function perform(reality: Reality, operation: Operation): Promise<unknown> {
  const { world, challengeId, campaignId, names } = reality;
  switch (operation.kind) {
    case 'batch':
      return world.verifyAndReward({ campaignId });
    case 'end':
      return world.endCampaign(campaignId);
    case 'delete':
      return world.deleteCampaign(campaignId);
    case 'open':
      return world.createAttempt({ challengeId, creator: { externalId: `ext-${names[operation.creator]}` } });
    case 'disconnect': {
      const handle = names[operation.creator] ?? '';
      return world.disconnectCreator({ externalId: `ext-${handle}`, platform: 'instagram', handle });
    }
  }
  const attemptId = reality.attemptIds[operation.creator] ?? 0;
  if (operation.kind === 'force') return world.forceVerify({ challengeId, attemptId });
  const action = operation.kind === 'target' ? 'target_opened' : 'claim_completion';
  return world.progressAttempt({ challengeId, attemptId, action });
}

async function answerOf(reality: Reality, operation: Operation): Promise<string> {
  try {
    await perform(reality, operation);
    return 'ok';
  } catch (error) {
    if (isDomainError(error)) return error.code;
    throw error;
  }
}

async function runJobs({ world }: Reality, background: Background): Promise<void> {
  if (background === 'idle') return;
  if (background === 'jobs-blackout') world.posts.state.isDown = true;
  if (background === 'jobs-cut-short') world.posts.state.shown = 0;
  try {
    await world.settle();
  } finally {
    world.posts.state.isDown = false;
    world.posts.state.shown = Infinity;
  }
}

/** What can be seen of a creator, in the system or in the model. */
const visible = ({ path, retries }: Pick<Creator, 'path' | 'retries'>) => ({ path, retries: path.length && retries });

async function observe(reality: Reality): Promise<string> {
  const { world, challengeId, campaignId, names } = reality;
  const campaign = await world.storage.campaigns.find(campaignId);
  const creators = [];
  let found = 0;
  for (const [index, name] of names.entries()) {
    const creator = await world.storage.creators.find({ externalId: `ext-${name}` });
    const attempt = await world.storage.attempts.find({ challengeId: challengeId, userId: creator?.id ?? 0 });
    reality.attemptIds[index] = attempt?.id;
    if (attempt !== null) found += 1;
    const path = attempt?.stateHistory.map(({ state }) => state) ?? [];
    expect(path.at(-1), 'the history ends in the state').toBe(attempt?.state);
    expect(attempt?.pointsAwarded ?? 0).toBe(attempt?.state === 'rewarded' ? POINTS : 0);
    creators.push(visible({ path, retries: attempt?.retryCount ?? 0 }));
  }
  const { totalAttempts } = await world.storage.attempts.summary(challengeId);
  expect(totalAttempts, 'one attempt for each creator').toBe(found);
  return JSON.stringify({ deleted: campaign === null, ended: campaign?.campaign.isActive === false, creators });
}

/** The same of a state of the model. A deleted campaign no longer shows whether it had ended. */
const shown = ({ deleted, ended, creators }: State) =>
  JSON.stringify({ deleted, ended: ended && !deleted, creators: creators.map(visible) });

/** The model's states that fit what is seen; there has to be one. */
async function believe(belief: Belief, reality: Reality, candidates: readonly State[], what: string): Promise<void> {
  const seen = await observe(reality);
  const fitting = candidates.filter((state) => shown(state) === seen);
  const possible = [...new Set(candidates.map(shown))].slice(0, 10).join('\n');
  expect(fitting.length, `${what} left\n${seen}\npossible:\n${possible}`).toBeGreaterThan(0);
  for (const before of belief.states.slice(0, 1)) {
    fitting[0]?.creators.forEach((creator, index) => {
      const earlier = before.creators[index];
      if (earlier && isFinal(earlier)) expect(creator.path, 'final states absorb').toEqual(earlier.path);
    });
  }
  belief.states = [...new Map(fitting.map((state) => [JSON.stringify(state), state])).values()];
}

/** Operations and jobs at the same time. */
class AtOnce implements Command {
  readonly operations: readonly Operation[];
  readonly background: Background;

  constructor(operations: readonly Operation[], background: Background) {
    this.operations = operations;
    this.background = background;
  }

  check(belief: Readonly<Belief>): boolean {
    // A creator without an attempt cannot move it.
    return this.operations.every(
      (operation) =>
        !['target', 'claim', 'force'].includes(operation.kind) ||
        ('creator' in operation && (belief.states[0]?.creators[operation.creator]?.path.length ?? 0) > 0),
    );
  }

  async run(belief: Belief, reality: Reality): Promise<void> {
    reality.world.pass(1_000);
    const [answers] = await Promise.all([
      Promise.all(this.operations.map((operation) => answerOf(reality, operation))),
      runJobs(reality, this.background),
    ]);
    const candidates = belief.states
      .flatMap((state) => outcomesOf(state, this.operations, this.background))
      .filter((outcome) => JSON.stringify(outcome.answers) === JSON.stringify(answers));
    const settled = this.operations.length === 0 && this.background !== 'idle';
    const states = candidates.map(({ state }) => state).filter((state) => !settled || isSettled(state));
    await believe(belief, reality, states, `${this} answered ${answers.join(', ')} and`);
  }

  toString(): string {
    const names = this.operations.map((each) => ('creator' in each ? `${each.kind} ${each.creator}` : each.kind));
    return [...names, ...(this.background === 'idle' ? [] : [this.background])].join(' & ');
  }
}

const AWAITING_JOBS: readonly string[] = statesWhere(({ awaits }) => awaits !== null);

const isSettled = (state: State) => state.creators.every((creator) => !AWAITING_JOBS.includes(stateOf(creator) ?? ''));

/** A creator comments on the post; nobody reads it yet. */
class Comment implements Command {
  readonly creator: number;

  constructor(creator: number) {
    this.creator = creator;
  }

  check = () => true;

  async run(belief: Belief, reality: Reality): Promise<void> {
    reality.world.posts.comment(reality.names[this.creator] ?? '');
    belief.states = belief.states.map((state) => change(state, this.creator, { commented: true }));
  }

  toString = () => `comment ${this.creator}`;
}

/** Eight days go by, and the overdue attempts are looked for. */
class DeadlinesPass implements Command {
  check = () => true;

  async run(belief: Belief, reality: Reality): Promise<void> {
    reality.world.pass(8 * DAY_MS);
    await reality.world.failOverdue();
    await believe(belief, reality, belief.states.map(afterDeadlines), `${this}`);
  }

  toString = () => 'deadlines pass';
}

/** The time of the next check comes, and two processes look for undecided claims at once. */
class RechecksCome implements Command {
  check = () => true;

  async run(belief: Belief, reality: Reality): Promise<void> {
    reality.world.pass(LONGEST_RECHECK_MS);
    await Promise.all([reality.world.recheckClaims(), reality.world.recheckClaims()]);
    await believe(belief, reality, belief.states.map(afterRechecks), `${this}`);
  }

  toString = () => 'rechecks come';
}

/** Mostly the first, so that its attempt gets far. */
const creator = fc.constantFrom(0, 0, 0, 1, 1, 2);
const on = (kind: Exclude<Operation['kind'], 'batch' | 'end' | 'delete'>, weight: number) => ({
  weight,
  arbitrary: creator.map((index): Operation => ({ kind, creator: index })),
});
const once = (kind: 'batch' | 'end' | 'delete', weight: number) => ({
  weight,
  arbitrary: fc.constant<Operation>({ kind }),
});
const operation = fc.oneof(
  on('claim', 10),
  on('open', 5),
  on('target', 3),
  on('force', 2),
  on('disconnect', 1),
  once('batch', 3),
  once('end', 1),
  once('delete', 1),
);
const background = fc.constantFrom<Background>('idle', 'jobs', 'jobs', 'jobs-blackout', 'jobs-cut-short');
const crowd = fc
  .tuple(fc.array(operation, { minLength: 1, maxLength: 4 }), background)
  .map(([operations, jobs]) => new AtOnce(operations, jobs));
const alone = (kind: 'open' | 'claim') => creator.map((index) => new AtOnce([{ kind, creator: index }], 'idle'));
const settling = fc.constant(new AtOnce([], 'jobs'));

/** One command each, so named twice is twice as likely. */
const commands = [
  alone('open'),
  alone('claim'),
  alone('claim'),
  settling,
  settling,
  crowd,
  crowd,
  crowd,
  creator.map((index) => new Comment(index)),
  fc.constant(new RechecksCome()),
  fc.constant(new DeadlinesPass()),
];

let campaigns = 0;

async function begin(world: EngagementWorld): Promise<Reality> {
  campaigns += 1;
  world.posts.state.comments = [];
  const { campaign, challenge } = await world.campaign({ pointsReward: POINTS });
  const names = Array.from({ length: CREATORS }, (_, index) => `run${campaigns}.creator${index}`);
  for (const name of names) await world.creator(name);
  return {
    world,
    campaignId: campaign.id,
    challengeId: challenge.id,
    names,
    attemptIds: [],
    eventsBefore: world.events.length,
  };
}

/** Points are conserved and every step was announced once, whatever happened. */
async function closeAccounts(belief: Belief, reality: Reality): Promise<void> {
  await new AtOnce([], 'jobs').run(belief, reality);
  const [state] = belief.states;
  if (state === undefined || state.deleted) return;
  const { world, challengeId, eventsBefore } = reality;
  const summary = await world.storage.attempts.summary(challengeId);
  const times = (name: string) => state.creators.flatMap(({ path }) => path).filter((each) => each === name).length;
  const points = times('rewarded') * POINTS;
  expect(summary.totalPointsIssued).toBe(points);
  expect(summary.totalVerified).toBe(times('verified'));
  const announced = world.events.slice(eventsBefore).filter(({ data }) => data.challengeId === challengeId);
  const named = (event: string) => announced.filter((each) => each.event === event);
  expect(named('creator.verified')).toHaveLength(times('verified'));
  expect(named('reward.issued').reduce((sum, { data }) => sum + (data.points ?? 0), 0)).toBe(points);
  expect(named('verification.failed')).toHaveLength(times('failed_retryable') + times('failed_terminal'));
}

await eachStorage((kind) => {
  describe('creators, admins, the batch and the jobs at the same time', () => {
    it('leave what some order of their steps leaves', async () => {
      await using made = await createTestStorage(kind);
      const stores = [made.create(), made.create()] as const;
      for (const storage of stores) await storage.open();
      await using world = await createEngagementWorld({
        storage: byTurns(...stores),
        clockTicks: true,
        recheckScale: RECHECK_SCALE,
      });
      await fc.assert(
        fc.asyncProperty(fc.noBias(fc.commands(commands, { maxCommands: 30, size: 'max' })), async (sequence) => {
          const belief: Belief = { states: [initialState(CREATORS)] };
          const reality = await begin(world);
          await fc.asyncModelRun(() => ({ model: belief, real: reality }), sequence);
          await closeAccounts(belief, reality);
        }),
        { ...runs(kind === 'sqlite' ? 12 : 3), interruptAfterTimeLimit: 15_000 },
      );
    }, 60_000);
  });
});
