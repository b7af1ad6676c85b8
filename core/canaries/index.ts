/** Watches platforms for drift: reads canaries, remembers what they showed, and announces when a reading changes. */
import { bytesToHex } from '@noble/hashes/utils.js';
import type { UseCaseParts } from '../engagement/use-case-parts.ts';
import { DomainError, isDomainError } from '../errors.ts';
import { readProfile } from '../lookups/read-profile.ts';
import { platformOf } from '../platforms/platforms.ts';
import type { CanaryStore } from '../ports/canary-store.ts';
import type { JobContext, JobPayloads } from '../ports/job-queue.ts';
import type { Logger } from '../ports/logger.ts';
import type { PlatformCallOptions } from '../ports/platform.ts';
import { type CanaryRecord, type CanaryTarget, parseCanaryTarget } from './canary.ts';
import { type CanaryReading, judge } from './judge.ts';
import { shapeOfPost, shapeOfProfile } from './shape.ts';

export interface CanariesDeps
  extends Pick<UseCaseParts, 'platforms' | 'resolvePost' | 'queue' | 'relay' | 'clock' | 'random' | 'logger'> {
  readonly store: CanaryStore;
  /** The configured canaries; see `parseCanaryTarget`. */
  readonly targets: readonly string[];
}

/** The canaries of an instance. */
export interface Canaries {
  /** Queues a reading of every canary, unless one is queued or running. @throws what the queue throws */
  schedule(): Promise<void>;
  /**
   * Handles a `read-canary` job: reads, compares, and stores the outcome together with its event. If another process stored a
   * reading meanwhile, that one counts.
   */
  readonly run: (payload: JobPayloads['read-canary'], context: Pick<JobContext, 'signal'>) => Promise<void>;
  /**
   * Reads a canary now and compares it with what is stored. Stores and announces nothing.
   * @throws DomainError `VALIDATION_ERROR` for what is neither a post URL nor `platform:handle`
   */
  check(target: string): Promise<CanaryRecord>;
  /** What the configured canaries showed last; those that were never read are missing. */
  states(): Promise<readonly CanaryRecord[]>;
  /** Forgets what the configured canaries showed: the next reading is what later ones are compared with. */
  forget(): Promise<void>;
}

/** Shares the rate of a platform with other callers. */
const CALLER = 'canaries';

const MAX_MESSAGE = 300;

export function createCanaries(deps: CanariesDeps): Canaries {
  const { store, platforms, queue, relay, clock, random, logger, targets } = deps;
  const read = readTarget(deps);

  async function reading(target: string, parsed: CanaryTarget, signal?: AbortSignal): Promise<CanaryReading> {
    const started = performance.now();
    const options = signal === undefined ? { caller: CALLER } : { caller: CALLER, signal };
    const result = await read(parsed, options).then(
      (fields) => ({ fields }),
      (error: unknown) => ({ failure: failureOf(error) }),
    );
    return { target, platform: parsed.platform, result, durationMs: Math.round(performance.now() - started) };
  }

  async function storedOf(target: string): Promise<CanaryRecord | null> {
    return (await store.list()).find((record) => record.target === target) ?? null;
  }

  return {
    async schedule() {
      if (targets.length === 0) return;
      await queue.enqueue(
        targets.map((target) => ({ type: 'read-canary', key: `canary:${target}`, payload: { target } })),
      );
    },

    async run({ target }, { signal }) {
      const parsed = parseCanaryTarget(platforms, target);
      if (parsed === null) {
        logger.warn({ canary: target }, 'a canary is no post or profile of a platform that is registered here');
        return;
      }
      const before = await storedOf(target);
      const found = await reading(target, parsed, signal);
      // What was cut short says nothing about the platform.
      signal.throwIfAborted();
      const { record, event } = judge(before, found, clock.now());
      const id = `canary_${bytesToHex(random.bytes(16))}`;
      if (!(await store.save(record, event === null ? [] : [{ id, kind: 'event', event }])) || event === null) return;
      report(logger, record, event.event);
      await relay.nudge();
    },

    async check(target) {
      const parsed = parseCanaryTarget(platforms, target);
      if (parsed === null) {
        const message = `"${target}" is neither a post URL nor PLATFORM:HANDLE of a platform that is registered here.`;
        throw new DomainError('VALIDATION_ERROR', message);
      }
      return judge(await storedOf(target), await reading(target, parsed), clock.now()).record;
    },

    async states() {
      return (await store.list()).filter(({ target }) => targets.includes(target));
    },

    async forget() {
      for (const target of targets) await store.remove(target);
    },
  };
}

/** The fields that a reading has. @throws the failures of the Platform port */
function readTarget({ platforms, resolvePost }: Pick<CanariesDeps, 'platforms' | 'resolvePost'>) {
  const profile = readProfile({ platforms });
  return async (target: CanaryTarget, options: PlatformCallOptions): Promise<readonly string[]> => {
    if (target.kind === 'profile') return shapeOfProfile(await profile(target.platform, target.handle, options));
    const post = await resolvePost(target.url, options);
    const reader = platformOf(platforms, post.platform);
    const details = await reader.getPost(post, options);
    return shapeOfPost(details, await reader.getComments(post, null, options));
  };
}

function failureOf(error: unknown) {
  const message = (error instanceof Error ? error.message : String(error)).toWellFormed().slice(0, MAX_MESSAGE);
  return { code: isDomainError(error) ? error.code : 'INTERNAL_ERROR', message };
}

function report(logger: Logger, record: CanaryRecord, event: string): void {
  const { target: canary, platform, verdict, missing, failure, durationMs } = record;
  const facts = { event, canary, platform, verdict, missing, failure, durationMs };
  if (verdict === 'ok') logger.info(facts, 'platform.recovered: a canary is read as before');
  else logger.error(facts, 'platform.drifted: a canary is not read as before; see docs/operation.md');
}
