/** A claim without a match on a very long post: it reads every comment before it says so, in many runs of its job. */
import { startHostProcess } from '../../load/host-process.ts';
import type { BenchContext, BenchRow, Unit } from '../bench.ts';
import { startChild } from '../child.ts';
import { compared, timed } from '../rounds.ts';
import type { SimulatorReady, SimulatorSetup } from '../simulator.ts';
import { claimAll, onSqlite, seed } from './at-once.ts';

const SECONDS_PER_100_000: Unit = { name: 's/100,000 comments', better: 'lower' };
const POLL_MS = 200;
/** What follows a claim that found nothing on a post that was read to its end. */
const CONCLUDED = 'failed_retryable';

/** Seconds from the claim to its outcome, on SQLite, against a post with a tenth of the comments. */
export async function claimOnLongPost({ quick, progress }: BenchContext): Promise<BenchRow> {
  const comments = quick ? 1_000 : 1_000_000;
  const name = (count: number) => `a claim on a post of ${count.toLocaleString('en')} comments`;
  progress(name(comments / 10));
  const reference = await secondsFor(comments / 10);
  progress(name(comments));
  const subject = await secondsFor(comments);
  const row = { name: name(comments), unit: SECONDS_PER_100_000, aim: { of: 'ratio', atMost: 1.3 } } as const;
  const per100k = (seconds: number, count: number) => (seconds * 100_000) / count;
  return compared({ ...row, reference: name(comments / 10) }, [
    { subject: per100k(subject, comments), reference: per100k(reference, comments / 10) },
  ]);
}

interface Found {
  readonly data: { readonly state: string };
}

interface Stored {
  readonly pagination: { readonly total: number };
}

/** @throws Error if the claim ends in another way, such as unreadable */
async function secondsFor(comments: number): Promise<number> {
  const setup: SimulatorSetup = { posts: 1, comments };
  await using simulator = await startChild<SimulatorReady>(new URL('../simulator.ts', import.meta.url), setup);
  return await onSqlite(async (place) => {
    const { challengeId, attemptIds } = await seed(place, simulator.ready, 1);
    const path = `/admin/challenges/${challengeId}/attempts/${attemptIds[0]}`;
    await using host = await startHostProcess({ TIKTOK_BASE_URL: simulator.ready.baseUrl, STORAGE_URL: place.url });
    const milliseconds = await timed(async () => {
      await claimAll(host, challengeId, attemptIds);
      for (;;) {
        const { data } = await host.call<Found>('GET', path);
        if (data.state === CONCLUDED) break;
        if (data.state !== 'verification_pending') throw new Error(`The attempt is in the state ${data.state}.`);
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
    });
    const stored = await host.call<Stored>('GET', `/admin/challenges/${challengeId}/comments?limit=1`);
    if (stored.pagination.total !== comments) throw new Error(`${stored.pagination.total} comments were read.`);
    return milliseconds / 1_000;
  });
}
