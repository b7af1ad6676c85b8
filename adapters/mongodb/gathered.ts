import { setTimeout as sleep } from 'node:timers/promises';
import type { Collection, Db } from 'mongodb';
import { collection, type Documents } from './documents.ts';

/** Items of one command: few enough that its message stays small. */
const MOST = 500;

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

interface Line<Item, Result> {
  waiting: Waiting<Item, Result>[];
  isBusy: boolean;
}

/**
 * The rest after outcomes of webhooks, as long as those of direct deliveries gather. Receivers that take their time end their
 * requests one by one. If the process dies before an outcome is stored, the delivery is sent again.
 */
export const OUTCOMES_REST_MS = 50;

export interface GatherOptions {
  /** How long a line rests after each command, in milliseconds. For what nobody waits for; 0 by default. */
  readonly restMs?: number;
}

/**
 * Joins calls for many items into few commands. Calls of one turn go together. Those that come while a command is under
 * way, or while the line rests, wait for the end of that and then go together. A call alone is sent at once.
 * @param work is given the items and answers for each, in their order. If it fails, all calls of the command do
 */
export function gathered<Item, Result>(
  work: (db: Db, items: readonly Item[]) => Promise<readonly Result[]>,
  { restMs = 0 }: GatherOptions = {},
): (db: Db, item: Item) => Promise<Result> {
  const lines = new WeakMap<Db, Line<Item, Result>>();

  async function send(db: Db, line: Line<Item, Result>): Promise<void> {
    // The other calls of this turn.
    await Promise.resolve();
    while (line.waiting.length > 0) {
      const taken = line.waiting.splice(0, MOST);
      try {
        const results = await work(
          db,
          taken.map(({ item }) => item),
        );
        // Sound because there is a result for each item.
        for (const [index, { resolve }] of taken.entries()) resolve(results[index] as Result);
      } catch (error) {
        for (const { reject } of taken) reject(error);
      }
      if (restMs > 0) await sleep(restMs);
    }
    line.isBusy = false;
  }

  return (db, item) =>
    new Promise<Result>((resolve, reject) => {
      const line = lines.get(db) ?? { waiting: [], isBusy: false };
      lines.set(db, line);
      line.waiting.push({ item, resolve, reject });
      if (line.isBusy) return;
      line.isBusy = true;
      void send(db, line);
    });
}

/** Reads documents by their ids, many in one command; null for those that are not there. */
export function gatheredFind<Name extends 'attempts' | 'creators' | 'deliveries' | 'sweeps' | 'webhooks'>(
  name: Name,
): (db: Db, id: number) => Promise<Documents[Name] | null> {
  return gathered<number, Documents[Name] | null>(async (db, ids) => {
    const documents = collection(db, name) as unknown as Collection<{ _id: number }>;
    const found = await documents.find({ _id: { $in: [...new Set(ids)] } }).toArray();
    // Sound: they are of this collection.
    const byId = new Map(found.map((document) => [document._id, document as unknown as Documents[Name]]));
    return ids.map((id) => byId.get(id) ?? null);
  });
}
