/** Every query that the contract has made MongoDB answer is served by an index. Runs after the contract, in its file. */
import { type Db, type Document, MongoClient, MongoServerError } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { createMongoStorage } from '../../../adapters/mongodb/index.ts';
import { INDEXES } from '../../../adapters/mongodb/indexes.ts';
import { type Allowance, judge } from '../../support/queries/index-rule.ts';
import { methodsOf, type RecordedCommand } from '../../support/queries/recorder.ts';
import { type QueryShape, shapesOf } from '../../support/queries/shape.ts';
import { openTestStorage } from '../../support/storage.ts';

const FEW_ENTRIES = 'one target has few entries';
const EVERYTHING = 'the whole collection is asked for';
const FEW_RANGES = 'a few ranges of the index, one for each of a short list, are merged in order';
const FEW_ACCOUNTS = 'a creator has few accounts, and few creators share a handle';
const FEW_FETCHES = 'a challenge has few fetches of likers: superseded ones are purged';
const FEW_SUBSCRIPTIONS = 'the collection has one document for each event of a subscriber in process';

const SHORT_LIST = 'up to a thousand are counted each time; of a longer list only what is new';
const FEW_CAMPAIGNS = 'a brand has few campaigns, few run at a time, and most others have ended';

/** Filters of a subscriber's deliveries over several fields, each with the index that narrows it. */
function filteredSubscriberDeliveries(): Record<string, Allowance> {
  const because =
    'deliveries of a subscriber, mostly all of one brand, are looked for among those of a status or an event';
  const filters = {
    'brandId equal, status equal, subscriber equal': 'by_status',
    'brandId equal, event equal, subscriber equal': 'by_event',
    'brandId equal, event equal, status equal, subscriber equal': 'by_event',
  };
  const each = Object.fromEntries(
    Object.entries(filters).flatMap(([filter, index]) =>
      // Without a status, up to a thousand are counted each time.
      [/status/.test(filter) ? '' : ' limited', ' by -_id limited'].map((order) => [
        `subscriberDeliveries { ${filter} }${order}`,
        { index, because },
      ]),
    ),
  );
  // They are counted by the index of what is pending.
  const pending = 'subscriberDeliveries { event equal, status equal, subscriber equal } by -_id limited';
  return { ...each, [pending]: { index: 'by_event', because } };
}

/** Filters of campaigns, each with the index that narrows it; the list and its total are asked. */
const CAMPAIGN_FILTERS: readonly (readonly [index: string, filter: string])[] = [
  ['by_brand', 'brandId equal, endsAt other, isActive equal, startsAt other'],
  ['by_brand', 'brandId equal, endsAt other, isActive equal, startsAt range'],
  ['by_brand', 'brandId equal, isActive equal'],
  ['by_brand', 'brandId equal, endsAt range'],
  ['by_brand', 'brandId equal, createdAt range'],
  ['by_brand', 'brandId equal, createdAt range, isActive equal'],
  ['by_brand', 'brandId equal, createdAt range, endsAt range'],
  ['by_activity', 'endsAt other, isActive equal, startsAt other'],
  ['by_activity', 'endsAt other, isActive equal, startsAt range'],
];

function filteredCampaigns(): Record<string, Allowance> {
  const entries = CAMPAIGN_FILTERS.flatMap(([index, filter]) =>
    ['', ' by -_id limited'].map((order): [string, Allowance] => [
      `campaigns { ${filter} }${order}`,
      { index, because: FEW_CAMPAIGNS },
    ]),
  );
  return Object.fromEntries(entries);
}

/** Lists of deliveries without some events, of webhooks that had them. */
function deliveriesWithout(): Record<string, Allowance> {
  const because =
    'a webhook that was the operator’s and is a brand’s is rare, and so are its deliveries about creators';
  const shapes: readonly (readonly [shape: string, index: string])[] = [
    ['{ event other, webhookId equal } by -_id limited', 'by_webhook'],
    ['{ _id range, event other, webhookId equal } by -_id limited', 'by_webhook'],
    ['{ event other, status equal, webhookId equal }', 'pending_by_webhook'],
    ['{ event other, status equal, webhookId equal } by -_id limited', 'pending_by_webhook'],
  ];
  return Object.fromEntries(shapes.map(([shape, index]) => [`deliveries ${shape}`, { index, because }]));
}

const RARE_BOTH = 'deliveries of a status and an event are looked for among those of the event';

/** What no index serves whole. */
const ALLOWED: Readonly<Record<string, Allowance>> = {
  'attempts { _id range, challengeId one-of, state one-of, verificationDeadline range } by _id limited': {
    index: 'deadlines_by_challenge',
    because: 'what ran out since the last time is read and sorted by id',
  },
  'attempts { _id range, state one-of, verificationDeadline range } by _id limited': {
    index: 'deadlines',
    because: 'what ran out since the last time is read and sorted by id',
  },
  'attempts { challengeId one-of, state one-of, verificationDeadline range } by _id limited': {
    index: 'deadlines_by_challenge',
    because: 'what ran out since the last time is read and sorted by id',
  },
  'attempts { state one-of, verificationDeadline range } by _id limited': {
    index: 'deadlines',
    because: 'what ran out since the last time is read and sorted by id',
  },
  'attempts { recheck.at range, state one-of } by recheck.at, _id limited': {
    index: 'rechecks_by_time',
    because: 'only undecided claims have a time, and they are in these states',
  },
  'attempts { _id range, state one-of, updatedAt range } by updatedAt, _id limited': {
    index: 'jobs_awaited',
    because: FEW_RANGES,
  },
  'attempts { state one-of, updatedAt range } by updatedAt, _id limited': {
    index: 'jobs_awaited',
    because: FEW_RANGES,
  },
  'auditLog {  } limited': { index: null, because: SHORT_LIST },
  'auditLog { actor equal, operation equal, target equal } limited': { index: 'by_target', because: FEW_ENTRIES },
  'auditLog { actor equal, operation equal, target equal } by -at, -_id limited': {
    index: 'by_target',
    because: FEW_ENTRIES,
  },
  'auditLog { actor equal, at range, operation equal, target equal } by -at, -_id limited': {
    index: 'by_target',
    because: FEW_ENTRIES,
  },
  'auditLog { _id range, actor equal, at equal, operation equal, target equal } by -at, -_id limited': {
    index: 'by_target',
    because: FEW_ENTRIES,
  },
  ...filteredCampaigns(),
  'campaigns { endsAt range } by -_id limited': { index: 'by_end', because: FEW_CAMPAIGNS },
  'deliveries { createdAt range, webhookId equal } by -_id limited': {
    index: 'by_webhook',
    because: 'read from the newest on, it stops behind those of the last minutes',
  },
  'deliveries { event equal, status equal, webhookId equal }': { index: 'by_event', because: RARE_BOTH },
  'deliveries { event equal, status equal, webhookId equal } by -_id limited': {
    index: 'by_event',
    because: RARE_BOTH,
  },
  ...deliveriesWithout(),
  'comments { author one-of, authorId other, challengeId equal }': {
    index: 'by_author',
    because: 'few comments of an author are without a number',
  },
  'brands {  } by _id': { index: null, because: EVERYTHING },
  'canaries {  } by _id': { index: null, because: EVERYTHING },
  ...filteredSubscriberDeliveries(),
  'brands {  }': { index: null, because: 'they are counted, for the total of a list' },
  'tokens {  }': { index: null, because: 'they are counted, for the total of a list' },
  'campaigns {  } limited': { index: null, because: SHORT_LIST },
  'jobGroups { readyAt range, type one-of } by readyAt limited': { index: 'by_turn', because: FEW_RANGES },
  'jobGroups { type one-of } by readyAt limited': { index: 'by_turn', because: FEW_RANGES },
  'jobs { dueAt range, status equal, type one-of } by dueAt limited': { index: 'running_by_due', because: FEW_RANGES },
  'jobs { status equal, type one-of } by dueAt limited': { index: 'running_by_due', because: FEW_RANGES },
  'jobs { group equal, runAt range, status equal, type one-of } by runAt, _id limited': {
    index: 'queued_by_time',
    because: FEW_RANGES,
  },
  'jobs { group equal, status equal, type one-of } by runAt limited': { index: 'queued_by_time', because: FEW_RANGES },
  'jobs { group range, status equal }': { index: 'queued_by_time', because: 'groups are read once, at the start' },
  'jobs { dueAt range, status equal }': { index: 'running_by_due', because: 'few jobs run at once' },
  'likersFetches { _id range, challengeId equal, requestedAt equal, status equal } limited': {
    index: 'by_time',
    because: FEW_FETCHES,
  },
  'likersFetches { challengeId equal, requestedAt range, status equal } limited': {
    index: 'by_time',
    because: FEW_FETCHES,
  },
  'likersFetches { challengeId equal, status equal }': { index: 'by_time', because: FEW_FETCHES },
  'likersFetches { challengeId equal, status equal } by -requestedAt, -_id limited': {
    index: 'by_time',
    because: FEW_FETCHES,
  },
  'likersFetches { _id range, requestedAt range, status one-of } by requestedAt, _id limited': {
    index: 'unfinished',
    because: FEW_RANGES,
  },
  'likersFetches { requestedAt range, status one-of } by requestedAt, _id limited': {
    index: 'unfinished',
    because: FEW_RANGES,
  },
  'purges { done other }': {
    index: null,
    because: 'it is asked once, at the start, and each deletion has one document',
  },
  'socialAccounts {  }': { index: 'by_link', because: 'the few distinct platforms are read from the index' },
  'socialAccounts { disconnectedAt equal, handle one-of, platform equal }': {
    index: 'by_handle',
    because: FEW_ACCOUNTS,
  },
  'socialAccounts { disconnectedAt equal, platform equal, rememberedAccount one-of }': {
    index: 'by_remembered_account',
    because: 'few links remember one account',
  },
  'socialAccounts { creatorId one-of, platform equal } by connectedAt, _id': {
    index: 'one_per_triple',
    because: FEW_ACCOUNTS,
  },
  'socialAccounts { disconnectedAt equal, handle equal } by creatorId, _id': {
    index: 'by_handle',
    because: FEW_ACCOUNTS,
  },
  'socialAccounts { disconnectedAt equal, handle equal, platform equal } by creatorId, _id': {
    index: 'by_handle',
    because: FEW_ACCOUNTS,
  },
  'socialAccounts { handle equal, platform equal } by creatorId, _id': { index: 'by_handle', because: FEW_ACCOUNTS },
  'subscriptions {  } by subscriber, event': { index: null, because: FEW_SUBSCRIPTIONS },
  'subscriptions { subscriber equal }': { index: null, because: FEW_SUBSCRIPTIONS },
  'subscriptions { subscriber one-of }': { index: null, because: FEW_SUBSCRIPTIONS },
  'tokens {  } by _id': { index: null, because: EVERYTHING },
};

interface Asked {
  readonly shape: QueryShape;
  readonly command: Document;
  readonly methods: Set<string>;
}

function askedOf(commands: readonly RecordedCommand[]): ReadonlyMap<string, Asked> {
  const asked = new Map<string, Asked>();
  for (const { command, method } of commands) {
    for (const shape of shapesOf(command)) {
      const known = asked.get(shape.text);
      if (known === undefined) {
        asked.set(shape.text, { shape, command, methods: new Set([method]) });
        continue;
      }
      known.methods.add(method);
      // Queries of one shape are one, whatever they compare with.
      for (const [field, values] of shape.points) {
        for (const value of values) known.shape.points.get(field)?.add(value);
      }
    }
  }
  return asked;
}

const COMMAND_NOT_FOUND = 59;

/** What of a command describes its query; the rest belongs to the session that sent it. */
const EXPLAINED =
  /^(find|aggregate|update|delete|findAndModify|count|distinct|query|filter|sort|limit|skip|projection|pipeline|cursor|key|new|upsert|remove)$/;

/** The server's plan of a command; null if the server explains none. */
async function explain(db: Db, command: Document): Promise<Document | null> {
  const [first] = (command.updates ?? command.deletes ?? []) as Document[];
  const asked = {
    ...Object.fromEntries(Object.entries(command).filter(([field]) => EXPLAINED.test(field))),
    ...(command.updates === undefined ? {} : { updates: [first] }),
    ...(command.deletes === undefined ? {} : { deletes: [first] }),
  };
  try {
    return await db.command({ explain: asked, verbosity: 'queryPlanner' });
  } catch (error) {
    if (error instanceof MongoServerError && error.code === COMMAND_NOT_FOUND) return null;
    throw error;
  }
}

/** Declares the tests, of the commands that the contract has sent and of the methods that it has called. */
export function mongoQueries(commands: readonly RecordedCommand[], called: ReadonlySet<string>): void {
  describe('queries and indexes (of all tests above: run the whole file)', () => {
    it('the contract calls every method of every store', () => {
      const methods = methodsOf(createMongoStorage({ url: 'mongodb://127.0.0.1' }));
      expect(methods.filter((method) => !called.has(method))).toEqual([]);
    });

    it('an index serves every query of every store, equality first, then the order, then ranges', () => {
      const asked = askedOf(commands);
      const { unserved } = judge(
        [...asked.values()].map(({ shape }) => shape),
        INDEXES,
        ALLOWED,
      );
      expect(unserved.map((text) => `${text}, asked by ${[...(asked.get(text)?.methods ?? [])].join(', ')}`)).toEqual(
        [],
      );
    });

    it('every index serves a query that no other index serves, and every exception is needed', () => {
      const asked = [...askedOf(commands).values()].map(({ shape }) => shape);
      expect(judge(asked, INDEXES, ALLOWED)).toMatchObject({ superfluous: [], outdated: [] });
    });

    it('a server that explains its plans scans no other collection whole', async () => {
      const made = await openTestStorage('mongodb');
      const client = new MongoClient(made.url);
      const scanned: string[] = [];
      for (const [text, { command }] of askedOf(commands)) {
        const plan = await explain(client.db(), command);
        if (plan === null) break;
        if (JSON.stringify(plan).includes('"COLLSCAN"') && ALLOWED[text]?.index !== null) scanned.push(text);
      }
      await client.close();
      await made.close();
      expect(scanned).toEqual([]);
    });
  });
}
