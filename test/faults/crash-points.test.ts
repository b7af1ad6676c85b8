/**
 * A host dies at every point between commit, send and acknowledgement, and the next one makes good. A creator claims on an
 * instance that is to die at a point, and the instance after the crash finishes what was begun. Instances over databases of
 * their own share a process, since most of a start is loading the modules.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { JobType } from '../../core/ports/job-queue.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { createPlatformSimulator, type PlatformSimulator } from '../../hosts/platform-simulator/server.ts';
import type { ApiClient } from '../support/client.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { availableKinds, eachStorage, openTestStorage, type StorageKind } from '../support/storage.ts';
import {
  byMessage,
  claim,
  clientOf,
  EVENTS,
  expectAnnounced,
  expectPoints,
  expectRewarded,
  openAttempt,
  prepareScene,
  type Scene,
  WAIT,
} from './claim.ts';
import type { CrashPoint } from './crash-point.ts';
import { type HostProcess, hostEnvironment, killHostsAfterAll, startFaultyHost } from './host-process.ts';

interface Case extends CrashPoint {
  readonly name: string;
  /** What the receiver answers first. */
  readonly answers?: readonly number[];
  /** Until the host has died, the post's list ends before the creator's comment. */
  readonly isCutShort?: boolean;
  /**
   * Is played on servers too. The next host must find there what is stored already: a job, a reward, deliveries, a lease.
   * `three-hosts.test.ts` kills a host on MongoDB amid sweeps, verifications and deliveries.
   */
  readonly onServers?: true;
}

const CASES: readonly Case[] = [
  { name: 'before a claim is stored', call: 'attempts.transition', when: 'before' },
  { name: 'after a claim is stored, before its answer', call: 'attempts.transition', when: 'after' },
  { name: 'before the job of a claim is queued', call: 'jobs.enqueue', when: 'before' },
  { name: 'before the outbox knows of a queued job', call: 'outbox.acknowledge', when: 'before', onServers: true },
  { name: 'after a verification is queued and taken up', call: 'jobs.enqueue', when: 'after', about: 'verify-attempt' },
  { name: 'before pages of a sweep are stored', call: 'comments.insertNew', when: 'before' },
  { name: 'after pages and progress of a sweep are stored', call: 'comments.insertNew', when: 'after' },
  { name: 'before a match is stored', call: 'attempts.transition', when: 'before', skip: 1 },
  { name: 'after a match is stored', call: 'attempts.transition', when: 'after', skip: 1 },
  { name: 'before the job of a stored match is done', call: 'jobs.complete', when: 'before' },
  { name: 'before event and reward leave the outbox', call: 'outbox.acknowledge', when: 'before', skip: 1 },
  { name: 'before the reward is stored', call: 'attempts.transition', when: 'before', skip: 2 },
  { name: 'after the reward is stored', call: 'attempts.transition', when: 'after', skip: 2, onServers: true },
  { name: 'after deliveries are made', call: 'deliveries.createMany', when: 'after', onServers: true },
  { name: 'after deliveries are leased', call: 'deliveries.claim', when: 'after', onServers: true },
  { name: 'before a webhook is sent', call: 'webhookTransport.send', when: 'before' },
  { name: 'after a webhook is sent', call: 'webhookTransport.send', when: 'after' },
  { name: 'before a try is recorded', call: 'deliveries.recordTry', when: 'before', skip: 1 },
  { name: 'after a try is recorded', call: 'deliveries.recordTry', when: 'after' },
  { name: 'after a refused try is recorded', call: 'deliveries.recordTry', when: 'after', answers: [503] },
  { name: 'before deliveries are made', call: 'deliveries.createMany', when: 'before' },
  { name: 'before a handler does its work', call: 'subscriber.handle', when: 'before' },
  { name: 'after a handler has done its work', call: 'subscriber.handle', when: 'after' },
  { name: 'before the work of a handler is recorded', call: 'deliveries.recordTry', when: 'before', skip: 3 },
  { name: 'after the work of a handler is recorded', call: 'deliveries.recordTry', when: 'after', skip: 2 },
  ...[
    { name: 'before an undecided claim is handed back', call: 'attempts.transition', when: 'before', skip: 1 } as const,
    { name: 'before it is checked again', call: 'attempts.transition', when: 'before', skip: 2 } as const,
    { name: 'after a check is stored, before its job', call: 'attempts.transition', when: 'after', skip: 2 } as const,
  ].map((one) => ({ ...one, isCutShort: true })),
  { name: 'before the job of a reward is done', call: 'jobs.complete', when: 'before', about: 'issue-reward' },
];

/** Everything but the watchdog of a sweep, which waits its time. */
const WORK: readonly JobType[] = ['verify-attempt', 'issue-reward'];
const CASES_ON: Readonly<Record<StorageKind, readonly Case[]>> = {
  sqlite: CASES,
  mongodb: CASES.filter(({ onServers }) => onServers),
  postgres: CASES.filter(({ onServers }) => onServers),
};
/** Each starts the process. */
const ROUNDS = 2;
/** Databases side by side: most of a case is waiting for leases to run out. */
const lanesOn = (kind: StorageKind) => Math.ceil(CASES_ON[kind].length / ROUNDS);
/** So many instances that poll more often keep databases and process busy with nothing else. */
const POLL_MS = '600';
/** Starts of the process, claims, and waits for leases. */
const PLAY_MS = 480_000;

/** One database, and an instance over it in each life of the process: the one that makes good is the next one to die. */
interface Lane {
  readonly kind: StorageKind;
  readonly number: number;
  readonly storage: Storage;
  readonly url: string;
  /** What the subscriber of the instances handled, a line each. */
  readonly ledger: string;
  close(): Promise<void>;
}

/** A case whose instance waits for its death, or has died. */
interface Scenario {
  readonly one: Case;
  readonly receiver: Receiver;
  readonly scene: Scene;
  readonly handle: string;
  readonly attempt: string;
}

async function openLane(kind: StorageKind, number: number): Promise<Lane> {
  const { storage, url, close } = await openTestStorage(kind);
  return { kind, number, storage, url, ledger: join(folder, `${kind}-${number}.ledger`), close };
}

/** The subscriber handled both events of the creator, under the ids of the webhooks; none is left to be delivered. */
async function expectHandled({ ledger, storage }: Lane, receiver: Receiver, handle: string): Promise<void> {
  await vi.waitFor(async () => {
    const { items } = await storage.deliveries.list('ledger', { page: 1, limit: 100 });
    expect(items.filter(({ status }) => status !== 'succeeded')).toEqual([]);
    const lines = (await readFile(ledger, 'utf8')).split('\n').filter((line) => line.endsWith(` ${handle}`));
    const handled = new Map(lines.map((line) => line.split(' ') as [string, string]));
    expect([...handled.values()].sort()).toEqual(EVENTS);
    expect([...handled.keys()].sort()).toEqual([...byMessage(receiver.received).keys()].sort());
  }, WAIT);
}

/** Brings an instance to where only the claim is missing. */
async function prepare(api: ApiClient, handle: string, one: Case): Promise<Scenario> {
  const receiver = await startReceiver();
  receiver.answers.push(...(one.answers ?? []));
  const scene = await prepareScene(api, simulator.world, receiver, [handle], one.isCutShort);
  return { one, receiver, scene, handle, attempt: await openAttempt(api, scene, handle) };
}

async function expectMadeGood(api: ApiClient, lane: Lane, scenario: Scenario): Promise<void> {
  const { one, receiver, scene, handle, attempt } = scenario;
  await claim(api, attempt);
  await expectRewarded(api, attempt, one.isCutShort);
  await expectPoints(api, scene, 1);
  await expectAnnounced(api, scene, receiver, 1);
  await expectHandled(lane, receiver, handle);
  await vi.waitFor(async () => expect(await lane.storage.jobs.nextDue(WORK)).toBeNull(), WAIT);
  // An event may have arrived before its entry is acknowledged.
  await vi.waitFor(async () => expect(await lane.storage.outbox.pending(10)).toEqual([]), WAIT);
  expect(await lane.storage.jobs.stats(new Date())).toMatchObject({ dead: 0 });
}

/** What went wrong in a case, by storage and number; nothing if it was made good for. */
const failures: Record<StorageKind, unknown[]> = { sqlite: [], mongodb: [], postgres: [] };
let lanes: readonly Lane[] = [];
let simulator: PlatformSimulator;
let folder: string;

/** A lane with a failed case has leftovers: its later cases fail unplayed. */
function fail({ kind, number }: Lane, index: number, error: unknown): void {
  failures[kind][index] = error;
  const cases = CASES_ON[kind];
  for (let later = index + lanesOn(kind); later < cases.length; later += lanesOn(kind)) {
    failures[kind][later] = new Error(`Not played, as "${cases[index]?.name}" failed in its database (${number}).`);
  }
}

const isPlayable = ({ kind }: Lane, index: number) =>
  index < CASES_ON[kind].length && failures[kind][index] === undefined;

/** Which case of its kind a lane plays in a round. */
const indexOf = ({ kind, number }: Lane, round: number) => round * lanesOn(kind) + number;

/** Starts the process that makes good for the last round and, if there is one, dies in this one. */
async function playRound(round: number, last: ReadonlyMap<Lane, Scenario>): Promise<ReadonlyMap<Lane, Scenario>> {
  const host = await startFaultyHost(
    { ...hostEnvironment('sqlite::memory:', folder, simulator), FAULTY_POLL_MS: POLL_MS },
    lanes.map(({ url, ledger }) => ({ storageUrl: url, ledger })),
  );
  const next = new Map<Lane, Scenario>();
  await Promise.all(
    lanes.map(async (lane, instance) => {
      const api = clientOf(host.baseUrls[instance] ?? '');
      const index = indexOf(lane, round);
      const scenario = last.get(lane);
      if (scenario !== undefined) {
        const made = expectMadeGood(api, lane, scenario).finally(() => scenario.receiver.close());
        await made.catch((error: unknown) => fail(lane, indexOf(lane, round - 1), error));
      }
      if (!isPlayable(lane, index)) return;
      const prepared = prepare(api, `${lane.kind}.${index}`, CASES_ON[lane.kind][index] as Case);
      await prepared.then(
        (made) => next.set(lane, made),
        (error: unknown) => fail(lane, index, error),
      );
    }),
  );
  if (next.size > 0) await die(host, round, next);
  await host.kill();
  return next;
}

/** Lets each creator claim, and waits until the process is dead. */
async function die(host: HostProcess, round: number, scenarios: ReadonlyMap<Lane, Scenario>): Promise<void> {
  await host.arm(...lanes.map((lane) => scenarios.get(lane)?.one ?? null));
  const claims = [...scenarios].map(([lane, { attempt }]) =>
    // Whether it is answered depends on where the instance stops.
    claim(clientOf(host.baseUrls[lanes.indexOf(lane)] ?? ''), attempt).catch(() => undefined),
  );
  const end = await host.ended().catch((error: unknown) => error);
  if (end !== 'SIGKILL') {
    const missing = [...scenarios.keys()].filter((lane) => !host.reached.has(lanes.indexOf(lane)));
    for (const lane of missing) fail(lane, indexOf(lane, round), end);
    await host.kill();
  }
  await Promise.all(claims);
  for (const { scene } of scenarios.values()) scene.showAll();
}

killHostsAfterAll();

beforeAll(async () => {
  simulator = await createPlatformSimulator();
  folder = await mkdtemp(join(tmpdir(), 'credence-faults-'));
  lanes = await Promise.all(
    (await availableKinds()).flatMap((kind) => Array.from({ length: lanesOn(kind) }, (_, n) => openLane(kind, n))),
  );
  let played: ReadonlyMap<Lane, Scenario> = new Map();
  for (let round = 0; round <= ROUNDS; round += 1) played = await playRound(round, played);
}, PLAY_MS);
afterAll(async () => {
  await Promise.all(lanes.map((lane) => lane.close()));
  await simulator.close();
  await rm(folder, { recursive: true, force: true });
});

await eachStorage((kind) => {
  describe('a host that dies', () => {
    it.each(CASES_ON[kind].map((one, index) => ({ ...one, index })))(
      '$name, is made good for by the next one',
      ({ index }) => {
        if (failures[kind][index] !== undefined) throw failures[kind][index];
      },
    );
  });
});
