/** Whether hosts that share a MongoDB get in each other's way when they claim jobs: 1 to 10 processes over one queue. */
import { once } from 'node:events';
import { createMongoStorage } from '../../../adapters/mongodb/index.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import type { Bench, BenchContext, BenchRow, Unit } from '../bench.ts';
import { type Child, startChild } from '../child.ts';
import { mongoDatabase } from '../mongo.ts';
import { compared } from '../rounds.ts';
import { claimsAtOnce } from './at-once.ts';
import { claimOnLongPost } from './long-post.ts';
import type { Done, Go, HostSetup } from './protocol.ts';

const JOBS_PER_SECOND: Unit = { name: 'jobs/s', better: 'higher' };
const COMMANDS_PER_JOB: Unit = { name: 'commands/job', better: 'lower' };

interface Measured {
  readonly jobsPerSecond: number;
  readonly commandsPerJob: number;
}

export const claimsBench: Bench = {
  name: 'claims',
  title: 'Claims of jobs by many hosts on one MongoDB, against one host',
  async run(context) {
    return [...(await claimsAtOnce(context)), await claimOnLongPost(context), ...(await claimsOfJobs(context))];
  },
};

async function claimsOfJobs({ quick, progress, skip }: BenchContext): Promise<readonly BenchRow[]> {
  await using server = await mongoDatabase();
  if (!server.available) {
    skip('MongoDB', server.reason);
    return [];
  }
  const counts = quick ? [1, 2] : [1, 2, 5, 10];
  const jobs = quick ? 40 : 3_000;
  const rounds = quick ? 1 : 3;
  const storage = createMongoStorage({ url: server.url });
  await using stack = new AsyncDisposableStack();
  await storage.open();
  stack.defer(() => storage.close());
  const setup: HostSetup = { url: server.url };
  const hosts: Child<string>[] = [];
  for (let host = 0; host < (counts.at(-1) ?? 0); host += 1) {
    hosts.push(stack.use(await startChild<string>(new URL('./host.ts', import.meta.url), setup)));
  }
  const measured = new Map<number, Measured[]>(counts.map((count) => [count, []]));
  for (let round = quick ? 1 : 0; round <= rounds; round += 1) {
    for (const count of round % 2 === 0 ? counts : counts.toReversed()) {
      progress(`round ${round}: ${count} hosts`);
      const one = await workOff(storage, hosts.slice(0, count), jobs);
      // The first round warms up.
      if (round > 0) measured.get(count)?.push(one);
    }
  }
  const alone = measured.get(1) ?? [];
  return counts.slice(1).flatMap((count): BenchRow[] => {
    const pairs = (of: keyof Measured) =>
      (measured.get(count) ?? []).map((one, round) => ({
        subject: one[of],
        reference: alone[round]?.[of] ?? Number.NaN,
      }));
    return [
      compared(
        { name: `${count} hosts`, unit: JOBS_PER_SECOND, reference: '1 host', aim: { of: 'ratio', atLeast: 0.9 } },
        pairs('jobsPerSecond'),
      ),
      compared(
        { name: `${count} hosts`, unit: COMMANDS_PER_JOB, reference: '1 host', aim: { of: 'ratio', atMost: 1.25 } },
        pairs('commandsPerJob'),
      ),
    ];
  });
}

async function workOff(storage: Storage, hosts: readonly Child<string>[], jobs: number): Promise<Measured> {
  const now = new Date();
  const due = Array.from({ length: jobs }, (_, attemptId) => ({
    type: 'issue-reward' as const,
    key: `reward:${attemptId}`,
    payload: { attemptId },
  }));
  await storage.jobs.enqueue(due, now);
  const started = performance.now();
  const done = await Promise.all(
    hosts.map(async ({ process: host }) => {
      host.send({ at: now.getTime() + 1 } satisfies Go);
      const [answer] = await once(host, 'message');
      return answer as Done;
    }),
  );
  const seconds = (performance.now() - started) / 1_000;
  const claimed = done.reduce((sum, one) => sum + one.claimed, 0);
  if (claimed !== jobs) throw new Error(`${claimed} jobs were claimed instead of ${jobs}.`);
  const commands = done.reduce((sum, one) => sum + one.commands, 0);
  return { jobsPerSecond: jobs / seconds, commandsPerJob: commands / jobs };
}
