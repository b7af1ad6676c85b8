/**
 * Events for receivers that answer quickly, sent straight from the outbox: each delivery is stored once, when it is over. Until then the
 * outbox entry says that it is due, and a lease says who sends it. So a crash loses nothing: when the lease ends, the event is sent
 * again with the same `webhook-id`. What cannot be sent at once becomes a pending delivery with a job, like any other.
 */
import type { HandedOver, LeasedOutbox, OutboxLeases } from '../../ports/attempt-store.ts';
import { type JobQueue, LONGEST_PAUSE_MS } from '../../ports/job-queue.ts';
import type { Storage } from '../../ports/storage.ts';
import type { DeliveryGate } from './delivery-gate.ts';
import { createDeliveryTries, type DeliveryTriesDeps, type EndedTry, isAsBefore, targetOf } from './delivery-tries.ts';
import { createReceiversOf, messageOf, storeDeliveries } from './dispatch-event.ts';
import type { EventEntry } from './outbox.ts';
import { isFor } from './subscriber.ts';
import type { Delivery, Webhook } from './webhook.ts';

export interface DirectDeliveriesDeps extends DeliveryTriesDeps {
  readonly storage: Pick<Storage, 'webhooks' | 'deliveries' | 'subscribers'>;
  readonly leases: OutboxLeases;
  readonly gate: DeliveryGate;
  readonly queue: Pick<JobQueue, 'enqueue'>;
}

/** An outbox entry with an event, and the attempt it was written with. */
export interface DirectEvent {
  readonly attemptId: number;
  readonly entry: EventEntry;
}

export interface DirectDeliveries {
  /** Entries that are due and not in hand here, for this process alone. See `OutboxLeases.take`. */
  lease(which: Parameters<OutboxLeases['take']>[0]): Promise<readonly LeasedOutbox[]>;
  /** See `OutboxLeases.giveBack`. */
  giveBack(entries: readonly HandedOver[]): Promise<void>;
  /**
   * Takes those of these leased events whose receivers all answer quickly, and sends and acknowledges them in the background. Returns
   * their entries; the others are left to the caller. Takes none before `start` and after `stop`.
   */
  take(events: readonly DirectEvent[]): Promise<ReadonlySet<EventEntry>>;
  /** Resolves when only few events wait here, or after a moment. */
  untilRoom(): Promise<void>;
  start(): void;
  /** Takes no more events. Waiting deliveries become jobs, as do requests that take more than a second. Resolves when all are stored. */
  stop(): Promise<void>;
}

/** Longer than an event waits here, for the gate, and for its receiver. */
const LEASE_MS = 15_000;
/** An event that has waited for longer waits with the jobs. */
const LONGEST_WAIT_MS = 2_000;
/** Requests under way, to all receivers and to one of them. */
const MOST_REQUESTS = 64;
const MOST_OF_A_WEBHOOK = 8;
/** Deliveries that wait here: at most, for one receiver, for one that has not answered lately, and so few that there is room for more. */
const MOST_WAITING = 1_024;
const MOST_IN_LINE = 512;
const MOST_OF_UNKNOWN = 256;
const ROOMY = 128;
const ROOM_WAIT_MS = 250;
/** A webhook is read again after so long; and waited for if what is known is older. */
const FRESH_MS = 25;
const STALE_MS = 50;
/** Deliveries that end one after the other are stored together. If the process dies before that, they are sent again. */
const GATHER_MS = 50;
const STORED_TOGETHER = 500;
/** How long requests under way may take when the process stops. */
const STOP_GRACE_MS = 1_000;

/** An outbox entry, and how many of its deliveries are not stored yet. */
interface Parcel {
  readonly attemptId: number;
  readonly entryId: string;
  open: number;
}

interface Item {
  readonly delivery: Omit<Delivery, 'id'>;
  readonly parcel: Parcel;
  /** Of `performance.now()`. */
  readonly since: number;
}

/** A delivery that is to be stored: over, or to be tried later. */
interface Result extends Pick<Item, 'delivery' | 'parcel'> {
  /** Absent if it was not tried. */
  readonly tried?: { readonly ended: EndedTry; readonly webhook: Webhook };
}

/** A webhook as it was read at a time of `performance.now()`. */
interface Seen {
  readonly webhook: Webhook | null;
  readonly at: number;
}

interface Line {
  readonly waiting: Item[];
  seen: Seen;
  /** It is read again. */
  reading: Promise<void> | undefined;
  underWay: number;
  /** The attempts whose events are under way: the next event of one of them waits, so that a receiver gets them in order. */
  readonly attempts: Set<number>;
  /** The receiver has enough to do. */
  rest: ReturnType<typeof setTimeout> | undefined;
}

export function createDirectDeliveries(deps: DirectDeliveriesDeps): DirectDeliveries {
  const { storage, leases, gate, clock, logger } = deps;
  const tries = createDeliveryTries(deps);
  const stopping = new AbortController();
  /** By webhook, in the order of their turns. */
  const lines = new Map<number, Line>();
  const requests = new Set<Promise<void>>();
  /** Ids of the entries whose deliveries are not all stored. */
  const inHand = new Set<string>();
  let isWorking = false;
  let waiting = 0;
  let results: Result[] = [];
  let isStoring = false;
  let stored: Promise<void> = Promise.resolve();
  let patience: ReturnType<typeof setInterval> | undefined;
  let room: PromiseWithResolvers<void> | undefined;

  function add(item: Item, webhook: Webhook): void {
    const seen = { webhook, at: item.since };
    const line = lines.get(webhook.id) ?? {
      waiting: [],
      seen,
      reading: undefined,
      underWay: 0,
      attempts: new Set(),
      rest: undefined,
    };
    line.seen = seen;
    lines.set(webhook.id, line);
    line.waiting.push(item);
    waiting += 1;
  }

  /** Webhooks take turns, so that a long line of one holds no other up. */
  function sendNext(): void {
    for (const [webhookId, line] of lines) {
      if (requests.size >= MOST_REQUESTS) return;
      if (line.rest !== undefined || line.underWay >= mostOf(webhookId)) continue;
      const next = line.waiting.findIndex(({ parcel }) => !line.attempts.has(parcel.attemptId));
      const item = takeAt(line.waiting, next);
      if (item === undefined) {
        if (line.underWay === 0) lines.delete(webhookId);
        continue;
      }
      leaveLine();
      start(line, item);
      // At its end, this walk comes to it again.
      lines.delete(webhookId);
      lines.set(webhookId, line);
    }
  }

  /** The first answer of a receiver tells if it is quick. */
  const mostOf = (webhookId: number) => (gate.speedOf(webhookId) === 'quick' ? MOST_OF_A_WEBHOOK : 1);

  function leaveLine(): void {
    waiting -= 1;
    if (waiting <= ROOMY) room?.resolve();
    if (waiting > 0) return;
    clearInterval(patience);
    patience = undefined;
  }

  function start(line: Line, item: Item): void {
    line.underWay += 1;
    line.attempts.add(item.parcel.attemptId);
    const request = send(line, item)
      .then(
        (result) => {
          if (result instanceof Date) takeBack(line, item, result);
          else store(result);
        },
        (error: unknown) => {
          if (!stopping.signal.aborted)
            logger.warn({ err: error }, 'a delivery could not be sent at once; it gets a job');
          store(item);
        },
      )
      .then(() => {
        line.underWay -= 1;
        line.attempts.delete(item.parcel.attemptId);
        requests.delete(request);
        sendNext();
      });
    requests.add(request);
  }

  /** The item is the next one again, after a rest of its line. */
  function takeBack(line: Line, item: Item, until: Date): void {
    if (!isWorking || isLate(item)) {
      store(item);
      return;
    }
    line.waiting.unshift(item);
    waiting += 1;
    watch();
    line.rest ??= setTimeout(
      () => {
        line.rest = undefined;
        sendNext();
      },
      Math.min(Math.max(1, until.getTime() - clock.now().getTime()), LONGEST_PAUSE_MS),
    );
  }

  /** The webhook as it was a moment ago: a request does not wait for a read, which may wait for the disk. */
  async function webhookOf(line: Line, id: number): Promise<Webhook | null> {
    const age = performance.now() - line.seen.at;
    if (age > FRESH_MS) line.reading ??= readAgain(line, id);
    if (age > STALE_MS) await line.reading;
    return line.seen.webhook;
  }

  async function readAgain(line: Line, id: number): Promise<void> {
    const at = performance.now();
    try {
      line.seen = { webhook: await storage.webhooks.findById(id), at };
    } catch (error) {
      logger.warn({ err: error, webhookId: id }, 'a webhook could not be read; its deliveries become jobs');
      line.seen = { webhook: null, at };
    }
    line.reading = undefined;
  }

  /**
   * Returns what is to be stored, which is the item itself if it becomes a job; or until when the receiver has enough to do.
   * @throws what the storage throws, and when the process stops
   */
  async function send(line: Line, item: Item): Promise<Result | Date> {
    const webhook = await webhookOf(line, item.delivery.webhookId);
    if (webhook?.active !== true) return item;
    const pass = await gate.enter(targetOf(webhook));
    if (pass.kind === 'full') return pass.roomAt;
    try {
      if (pass.hasWaited && !isAsBefore(await storage.webhooks.findById(webhook.id), webhook)) return item;
      const ended = await tries.make(item.delivery, webhook, clock.now(), stopping.signal);
      const delivery = { ...item.delivery, tries: [ended.record], ...ended.state };
      return { delivery, parcel: item.parcel, tried: { ended, webhook } };
    } finally {
      pass.leave();
    }
  }

  function store(result: Result): void {
    results.push(result);
    if (!isStoring) stored = storeAll();
  }

  async function storeAll(): Promise<void> {
    isStoring = true;
    while (results.length > 0) {
      if (results.length < STORED_TOGETHER && isWorking) await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
      const next = results.slice(0, STORED_TOGETHER);
      results = results.slice(STORED_TOGETHER);
      await storeTogether(next).catch((error: unknown) => {
        for (const { parcel } of next) inHand.delete(parcel.entryId);
        logger.warn({ err: error, deliveries: next.length }, 'deliveries could not be stored; they are sent again');
      });
    }
    isStoring = false;
  }

  async function storeTogether(next: readonly Result[]): Promise<void> {
    const deliveries = Map.groupBy(
      next.map(({ delivery }) => delivery),
      ({ status }) => (status === 'pending' ? 'pending' : 'over'),
    );
    // Before their entries go: what is tried later has a job by then.
    await storeDeliveries(deps)(deliveries.get('pending') ?? []);
    const ofParcels = Map.groupBy(next, ({ parcel }) => parcel);
    const done = [...ofParcels].filter(([{ open }, { length }]) => open === length);
    const tried = next.flatMap((result) => result.tried ?? []);
    const triggered = new Map(tried.map(({ webhook, ended }) => [webhook.id, ended.record.at]));
    await Promise.all([
      leases.finish(
        deliveries.get('over') ?? [],
        done.map(([{ attemptId, entryId }]) => ({ attemptId, entryIds: [entryId] })),
      ),
      ...[...triggered].map(([webhookId, at]) => tries.markTriggered(webhookId, at)),
    ]);
    for (const [parcel, { length }] of ofParcels) parcel.open -= length;
    for (const [{ entryId }] of done) inHand.delete(entryId);
    for (const { delivery, tried: one } of next) {
      if (one === undefined) continue;
      const { messageId, webhookId, event } = delivery;
      await tries.conclude(one.ended, one.webhook, { messageId, webhookId, event });
    }
  }

  /** What waits for too long waits with the jobs. */
  function watch(): void {
    if (waiting === 0) return;
    patience ??= setInterval(() => putOff(isLate), ROOM_WAIT_MS);
  }

  function putOff(which: (item: Item) => boolean): void {
    for (const line of lines.values()) {
      while (line.waiting[0] !== undefined && which(line.waiting[0])) {
        store(line.waiting.shift() as Item);
        leaveLine();
      }
    }
  }

  function isDirect({ id }: Webhook): boolean {
    const speed = gate.speedOf(id);
    return (
      speed !== 'slow' && (lines.get(id)?.waiting.length ?? 0) < (speed === 'quick' ? MOST_IN_LINE : MOST_OF_UNKNOWN)
    );
  }

  return {
    async lease(which) {
      const now = clock.now();
      const leased = await leases.take(which, now, new Date(now.getTime() + LEASE_MS));
      if (inHand.size === 0) return leased;
      // Their leases have run out here, since the clock was set forward: they are being sent.
      const free = leased.map((each) => ({ ...each, entries: each.entries.filter(({ id }) => !inHand.has(id)) }));
      return free.filter(({ entries }) => entries.length > 0);
    },
    giveBack: (entries) => leases.giveBack(entries),
    async take(events) {
      const taken = new Set<EventEntry>();
      if (!isWorking) return taken;
      const receiversOf = createReceiversOf(deps);
      // All of them before the first is taken: if this fails, all events are left to the caller.
      const [subscriptions, ...wanted] = await Promise.all([
        storage.subscribers.list(),
        ...events.map(({ entry }) => receiversOf(entry.event, false)),
      ]);
      const now = clock.now();
      const since = performance.now();
      for (const [at, { attemptId, entry }] of events.entries()) {
        if (!isWorking) break;
        const receivers = wanted[at] ?? [];
        const fits =
          receivers.length > 0 &&
          waiting + receivers.length <= MOST_WAITING &&
          receivers.every(isDirect) &&
          !subscriptions.some((one) => isFor(one, entry.event));
        if (!fits) continue;
        taken.add(entry);
        const parcel = { attemptId, entryId: entry.id, open: receivers.length };
        inHand.add(entry.id);
        const message = messageOf({ entryId: entry.id, event: entry.event }, now);
        for (const webhook of receivers) {
          add({ delivery: { ...message, webhookId: webhook.id, brandId: webhook.brandId }, parcel, since }, webhook);
        }
      }
      sendNext();
      watch();
      return taken;
    },
    async untilRoom() {
      if (waiting <= ROOMY) return;
      room = Promise.withResolvers();
      const timer = setTimeout(room.resolve, ROOM_WAIT_MS);
      await room.promise;
      clearTimeout(timer);
    },
    start() {
      isWorking = true;
    },
    async stop() {
      isWorking = false;
      putOff(() => true);
      for (const { rest } of lines.values()) clearTimeout(rest);
      const timer = setTimeout(() => stopping.abort(new Error('The process stops.')), STOP_GRACE_MS);
      while (requests.size > 0) await Promise.all(requests);
      clearTimeout(timer);
      await stored;
    },
  };
}

/** Mostly the first, which leaves a list without moving the others. */
function takeAt(waiting: Item[], at: number): Item | undefined {
  if (at < 0) return undefined;
  return at === 0 ? waiting.shift() : waiting.splice(at, 1)[0];
}

const isLate = ({ since }: Item) => performance.now() - since > LONGEST_WAIT_MS;
