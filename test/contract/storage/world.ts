/** What a storage adapter has to give so that the contract can run against it. */
import { afterAll, beforeAll } from 'vitest';
import type { Storage } from '../../../core/ports/storage.ts';

/** Kinds of records that the contract counts in the database itself. */
export type RecordKind =
  | 'creators'
  | 'accounts'
  | 'brands'
  | 'campaigns'
  | 'challenges'
  | 'attempts'
  | 'outbox'
  | 'comments'
  | 'sweeps'
  | 'metrics'
  | 'fetches'
  | 'likers'
  | 'webhooks'
  | 'deliveries'
  | 'jobs'
  | 'tokens';

/** One way to make the database refuse a write, whatever the adapter does. */
export interface WriteFault {
  readonly name: string;
  /** Whether every call that writes these records meets it; of those that may not be met, each comes after the former. */
  readonly certain: boolean;
  /** From now on, until the returned function is called. */
  arm(): Promise<() => Promise<void>>;
}

/** An empty database of its own. */
export interface StorageWorld {
  /** A further storage over the same database, opened, as another process would have it; closed by `close()`. */
  open(): Promise<Storage>;
  /** Counts records past the adapter, so that no write is judged by the reads that belong to it. */
  count(kind: RecordKind): Promise<number>;
  /**
   * Ways to make a call fail amid its writes of these records. There is one for each kind if the database can refuse a kind, else
   * one for each write in turn. Without it, the tests of atomic writes are skipped.
   */
  faults?(kinds: readonly RecordKind[]): readonly WriteFault[];
  /** How many records of a kind are made to be purged, if it takes a call for each. @default 300, more than SQLite removes in a step */
  readonly purged?: number;
  /** Closes all storages and removes the database. */
  close(): Promise<void>;
}

/** How storages are made for the suite. */
export interface StorageContract {
  readonly name: string;
  /** Makes an empty database. */
  readonly create: () => Promise<StorageWorld>;
  /** Tests that this adapter alone has; declared inside the same `describe`. */
  readonly extra?: () => void;
}

/** The world of one `describe`, with two storages that stand for two processes. */
export interface Stage {
  readonly world: StorageWorld;
  readonly storage: Storage;
  readonly other: Storage;
  /** One of the two by turns; for calls that race. */
  turn(index: number): Storage;
}

/** One world for several stages of the enclosing `describe`, with the same two storages. It is closed after the last of them. */
export function sharedWorld(create: () => Promise<StorageWorld>): () => Promise<StorageWorld> {
  let creating: Promise<StorageWorld> | undefined;
  const opening: Promise<Storage>[] = [];
  afterAll(async () => (await creating)?.close());
  return async () => {
    creating ??= create();
    const world = await creating;
    let next = 0;
    return {
      ...world,
      open() {
        const storage = opening[next] ?? world.open();
        opening[next] = storage;
        next += 1;
        return storage;
      },
      close: async () => {},
    };
  };
}

/** Prepares a world before the tests of the enclosing `describe`, and removes it after them. */
export function prepareStage(create: () => Promise<StorageWorld>): Stage {
  let world: StorageWorld | undefined;
  let opened: readonly [Storage, Storage] | undefined;
  beforeAll(async () => {
    world = await create();
    opened = [await world.open(), await world.open()];
  });
  afterAll(() => world?.close());
  const ready = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('The stage is ready within tests only.');
    return value;
  };
  return {
    get world() {
      return ready(world);
    },
    get storage() {
      return ready(opened)[0];
    },
    get other() {
      return ready(opened)[1];
    },
    turn: (index) => ready(opened)[index % 2 === 0 ? 0 : 1],
  };
}
