/** How verify-and-reward grows with comments and creators, of whom half match, and what a repetition takes. */
import { createLeasedJobQueue } from '../../adapters/leased-jobs/index.ts';
import { verifyAndReward } from '../../core/engagement/attempts/verify-and-reward.ts';
import type { CommentRules } from '../../core/engagement/campaigns/terms.ts';
import { dispatchEvents } from '../../core/engagement/webhooks/dispatch-event.ts';
import { OutboxRelay } from '../../core/engagement/webhooks/outbox-relay.ts';
import { systemClock } from '../../core/ports/clock.ts';
import { silentLogger } from '../../core/ports/logger.ts';
import { systemRandom } from '../../core/ports/random-source.ts';
import { REGISTRY } from '../support/platforms.ts';
import { alone, type Bench, type BenchRow, MILLISECONDS, timed, type Unit } from './measure.ts';
import {
  handleOf,
  onEachStorage,
  type Place,
  RULES,
  sqlitePlace,
  storeCampaign,
  storeComments,
  storeCreators,
} from './support.ts';

const EXPONENT: Unit = { name: 'exponent', better: 'lower' };

interface Size {
  readonly comments: number;
  readonly creators: number;
}

interface Times {
  readonly first: number;
  /** Of the call that follows, with nothing new. */
  readonly again: number;
}

export const rewardsBench: Bench = {
  title: 'Verify and reward: how the time grows, and a repetition',
  async run(context) {
    const { quick, progress } = context;
    const creatorCounts = quick ? [20, 60] : [1_000, 10_000];
    const commentCounts = quick ? [50, 200] : [1_000, 10_000, 100_000];
    const sizes = creatorCounts.flatMap((creators) => commentCounts.map((comments): Size => ({ comments, creators })));
    const onSqlite = async (size: Size) => {
      await using place = await sqlitePlace();
      return await timesIn(place, size, RULES);
    };
    await onSqlite(sizes[0] ?? { comments: 1, creators: 1 });
    const exponents: number[] = [];
    for (let round = 0; round < (quick ? 1 : 3); round += 1) {
      const points = [];
      for (const size of sizes) {
        progress(`round ${round + 1}: ${size.comments} comments, ${size.creators} creators`);
        points.push({ size: size.creators + size.comments, time: (await onSqlite(size)).first });
      }
      exponents.push(fittedExponent(points));
    }
    const rows: BenchRow[] = [
      alone(
        { name: 'over creators + comments, with rules', unit: EXPONENT, aim: { of: 'figure', atMost: 1.1 } },
        exponents,
      ),
    ];
    const largest: Size = quick ? { comments: 400, creators: 60 } : { comments: 500_000, creators: 50_000 };
    const onEach = await onEachStorage(context, async (name, open) => {
      const measured: BenchRow[] = [];
      for (const rules of [null, RULES]) {
        await using place = await open();
        const { first, again } = await timesIn(place, largest, rules);
        const on = `${name}, ${largest.creators.toLocaleString('en')} creators${rules ? ', with rules' : ''}`;
        measured.push(
          alone({ name: `${on}: all`, unit: MILLISECONDS, aim: { of: 'figure', atMost: 10_000 } }, [first]),
          alone({ name: `${on}: again`, unit: MILLISECONDS, aim: { of: 'figure', atMost: 2_000 } }, [again]),
        );
      }
      return measured;
    });
    return [...rows, ...onEach];
  },
};

async function timesIn({ storage }: Place, { comments, creators }: Size, rules: CommentRules | null): Promise<Times> {
  const { campaign, challenge } = await storeCampaign(storage, undefined, rules);
  await storeComments(storage, challenge.id, comments);
  const hasCommented = (index: number) => index % 2 === 0 && index / 2 < comments;
  await storeCreators(storage, creators, (index) => (hasCommented(index) ? handleOf(index / 2) : `silent.${index}`));
  const matching = Array.from({ length: creators }, (_, index) => index).filter(hasCommented).length;
  const queue = createLeasedJobQueue({ store: storage.jobs, clock: systemClock, logger: silentLogger });
  const relay = new OutboxRelay({
    outbox: storage.outbox,
    queue,
    logger: silentLogger,
    dispatch: dispatchEvents({ storage, clock: systemClock, wakeSender: () => {} }),
  });
  const verify = verifyAndReward({ storage, platforms: REGISTRY, relay, clock: systemClock, random: systemRandom });
  const run = (expected: number) =>
    timed(async () => {
      const { matched, rewarded } = await verify({ campaignId: campaign.id });
      if (matched !== expected || rewarded !== expected) {
        throw new Error(`${matched} matched and ${rewarded} rewarded instead of ${expected}.`);
      }
    });
  const first = await run(matching);
  await relay.stop();
  return { first, again: await run(0) };
}

/** The exponent `e` of the least-squares fit `time = c * size^e`. */
function fittedExponent(points: readonly { readonly size: number; readonly time: number }[]): number {
  const logs = points.map(({ size, time }) => ({ x: Math.log(size), y: Math.log(time) }));
  const mean = (of: (point: { x: number; y: number }) => number) =>
    logs.reduce((sum, point) => sum + of(point), 0) / logs.length;
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)];
  return mean((point) => (point.x - x) * (point.y - y)) / mean((point) => (point.x - x) ** 2);
}
