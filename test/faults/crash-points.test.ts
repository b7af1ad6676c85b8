/**
 * A host dies at every point between commit, send and acknowledgement, and the next one makes good: each test arms the
 * living host of a lane, lets a creator claim, and sees the host after the crash finish what was begun.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { JobType } from '../../core/ports/job-queue.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { createPlatformSimulator, type PlatformSimulator } from '../../hosts/platform-simulator/server.ts';
import type { World } from '../../hosts/platform-simulator/world.ts';
import { mongoServer } from '../support/mongo.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { eachStorage, openTestStorage, STORAGE_KINDS, type StorageKind } from '../support/storage.ts';
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
} from './claim.ts';
import type { CrashPoint } from './crash-point.ts';
import { type HostProcess, hostEnvironment, killHostsAfterAll, startFaultyHost } from './host-process.ts';

interface Case extends CrashPoint {
  readonly name: string;
  /** What the receiver answers first. */
  readonly answers?: readonly number[];
  /** Until the host has died, the post's list ends before the creator's comment. */
  readonly isCutShort?: boolean;
}

const CASES: readonly Case[] = [
  { name: 'before a claim is stored', call: 'attempts.transition', when: 'before' },
  { name: 'after a claim is stored, before its answer', call: 'attempts.transition', when: 'after' },
  { name: 'before the job of a claim is queued', call: 'jobs.enqueue', when: 'before' },
  { name: 'after the job is queued, before the outbox knows', call: 'attempts.acknowledgeOutbox', when: 'before' },
  { name: 'after a verification is taken up', call: 'jobs.claim', when: 'after', about: 'verify-attempt' },
  { name: 'before pages of a sweep are stored', call: 'comments.insertNew', when: 'before' },
  { name: 'after pages and progress of a sweep are stored', call: 'comments.insertNew', when: 'after' },
  { name: 'before a match is stored', call: 'attempts.transition', when: 'before', skip: 1 },
  { name: 'after a match is stored', call: 'attempts.transition', when: 'after', skip: 1 },
  { name: 'after a verification is stored, before its job is done', call: 'jobs.complete', when: 'before' },
  { name: 'before event and reward leave the outbox', call: 'attempts.acknowledgeOutbox', when: 'before', skip: 1 },
  { name: 'before the reward is stored', call: 'attempts.transition', when: 'before', skip: 2 },
  { name: 'after the reward is stored', call: 'attempts.transition', when: 'after', skip: 2 },
  { name: 'after deliveries are made, before their jobs', call: 'deliveries.createMany', when: 'after' },
  { name: 'before a webhook is sent', call: 'webhookTransport.send', when: 'before' },
  { name: 'after a webhook is sent', call: 'webhookTransport.send', when: 'after' },
  { name: 'before a try is recorded', call: 'deliveries.recordTry', when: 'before', skip: 1 },
  { name: 'after a try is recorded', call: 'deliveries.recordTry', when: 'after' },
  { name: 'after a refused try, before the next is planned', call: 'jobs.release', when: 'before', answers: [503] },
  { name: 'before deliveries for a subscriber are made', call: 'subscribers.createDeliveries', when: 'before' },
  { name: 'after deliveries for a subscriber are made', call: 'subscribers.createDeliveries', when: 'after' },
  { name: 'after a subscriber takes an event up', call: 'subscribers.claim', when: 'after' },
  { name: 'before a handler does its work', call: 'subscriber.handle', when: 'before' },
  { name: 'after a handler has done its work', call: 'subscriber.handle', when: 'after' },
  { name: 'before the work of a handler is recorded', call: 'subscribers.recordTry', when: 'before', skip: 1 },
  { name: 'after the work of a handler is recorded', call: 'subscribers.recordTry', when: 'after' },
  ...[
    { name: 'before an undecided claim is handed back', call: 'attempts.transition', when: 'before', skip: 1 } as const,
    { name: 'before it is checked again', call: 'attempts.transition', when: 'before', skip: 2 } as const,
    { name: 'after a check is stored, before its job', call: 'attempts.transition', when: 'after', skip: 2 } as const,
  ].map((one) => ({ ...one, isCutShort: true })),
  { name: 'before a delivery is done', call: 'jobs.complete', when: 'before', about: 'deliver-webhook' },
];

/** Everything but the watchdog of a sweep, which waits its time. */
const WORK: readonly JobType[] = ['verify-attempt', 'issue-reward', 'dispatch-event', 'deliver-webhook'];
/** Chains of hosts side by side on each storage: most of a case is waiting for leases to run out. */
const LANES = 3;

/** A chain of hosts over one database: the one that makes good after a crash is the next one to die. */
interface Lane {
  readonly storage: Storage;
  /** What the subscriber of the hosts handled, a line each. */
  readonly ledger: string;
  host: HostProcess;
  start(): Promise<HostProcess>;
  close(): Promise<void>;
}

async function openLane(kind: StorageKind, ledger: string, simulator: PlatformSimulator): Promise<Lane> {
  const { storage, url, close } = await openTestStorage(kind);
  const start = () => startFaultyHost({ ...hostEnvironment(url, folder, simulator), FAULTY_LEDGER: ledger });
  const lane: Lane = {
    storage,
    ledger,
    host: await start(),
    start,
    async close() {
      await lane.host.kill();
      await close();
    },
  };
  return lane;
}

/** The subscriber handled both events of the creator, under the ids of the webhooks; none is left to be delivered. */
async function expectHandled({ ledger, storage }: Lane, receiver: Receiver, handle: string): Promise<void> {
  await vi.waitFor(async () => {
    const { items } = await storage.subscribers.listBySubscriber('ledger', { page: 1, limit: 100 });
    expect(items.filter(({ status }) => status !== 'succeeded')).toEqual([]);
    const lines = (await readFile(ledger, 'utf8')).split('\n').filter((line) => line.endsWith(` ${handle}`));
    const handled = new Map(lines.map((line) => line.split(' ') as [string, string]));
    expect([...handled.values()].sort()).toEqual(EVENTS);
    expect([...handled.keys()].sort()).toEqual([...byMessage(receiver.received).keys()].sort());
  }, 60_000);
}

async function crash(lane: Lane, world: World, handle: string, one: Case): Promise<void> {
  const { answers = [], isCutShort = false, ...point } = one;
  const receiver = await startReceiver();
  try {
    receiver.answers.push(...answers);
    const before = clientOf(lane.host.baseUrl);
    const scene = await prepareScene(before, world, receiver, [handle], isCutShort);
    const attempt = await openAttempt(before, scene, handle);
    await lane.host.arm(point);
    // Whether it is answered depends on where the host dies.
    await claim(before, attempt).catch(() => undefined);
    expect(await lane.host.ended(), lane.host.log()).toBe('SIGKILL');
    scene.showAll();

    lane.host = await lane.start();
    const after = clientOf(lane.host.baseUrl);
    await claim(after, attempt);
    await expectRewarded(after, attempt, isCutShort);
    await expectPoints(after, scene, 1);
    await expectAnnounced(after, scene, receiver, 1);
    await expectHandled(lane, receiver, handle);
    await vi.waitFor(async () => expect(await lane.storage.jobs.nextDue(WORK)).toBeNull(), 60_000);
    // An event may have arrived before its entry is acknowledged.
    await vi.waitFor(async () => expect(await lane.storage.attempts.pendingOutbox(10)).toEqual([]), 60_000);
    expect(await lane.storage.jobs.stats(new Date())).toMatchObject({ dead: 0 });
  } finally {
    await receiver.close();
  }
}

/** How each case went, by storage; lanes of all storages work their cases off side by side. */
const outcomes: Record<StorageKind, Promise<void>[]> = { sqlite: [], mongodb: [] };
const lanes: Lane[] = [];
let simulator: PlatformSimulator;
let folder: string;

async function laneAfter(usable: Lane | undefined, kind: StorageKind): Promise<Lane> {
  if (usable !== undefined) return usable;
  const opened = await openLane(kind, join(folder, `${kind}-${lanes.length}.ledger`), simulator);
  lanes.push(opened);
  return opened;
}

function startLane(kind: StorageKind, number: number): void {
  let lane: Promise<Lane | undefined> = Promise.resolve(undefined);
  for (let index = number; index < CASES.length; index += LANES) {
    const one = CASES[index] as Case;
    const current = lane.then((usable) => laneAfter(usable, kind));
    const outcome = current.then((open) => crash(open, simulator.world, `${kind}.${index}`, one));
    outcomes[kind][index] = outcome;
    // A lane in which a case failed has leftovers: the next case gets a new one.
    lane = outcome.then(
      () => current,
      () => undefined,
    );
  }
}

killHostsAfterAll();
const server = await mongoServer();

beforeAll(async () => {
  simulator = await createPlatformSimulator();
  folder = await mkdtemp(join(tmpdir(), 'credence-faults-'));
  for (const kind of STORAGE_KINDS) {
    if (kind === 'mongodb' && !server.available) continue;
    for (let number = 0; number < LANES; number += 1) startLane(kind, number);
  }
});
afterAll(async () => {
  await Promise.allSettled(Object.values(outcomes).flat());
  await Promise.all(lanes.map((lane) => lane.close()));
  await simulator.close();
  await rm(folder, { recursive: true, force: true });
});

await eachStorage((kind) => {
  describe('a host that dies', () => {
    it.each(CASES.map((one, index) => ({ ...one, index })))(
      '$name, is made good for by the next one',
      async ({ index }) => {
        await outcomes[kind][index];
      },
      // A case waits for those before it in its lane.
      300_000,
    );
  });
});
