/** Collections whose documents are items of the domain. */
import { randomUUID } from 'node:crypto';
import type {
  AnyBulkWriteOperation,
  Collection,
  Document,
  Filter,
  FindOptions,
  OptionalUnlessRequiredId,
  UpdateFilter,
  WithoutId,
} from 'mongodb';
import { gathered } from '../../core/gather.ts';
import { parseJson } from '../../core/json-reader.ts';
import type { Page, PageRequest } from '../../core/ports/paging.ts';
import { takeIds } from './counters.ts';
import { type CollectionName, type DocumentOf, type ItemOf, type Place, SHAPES, type Shape } from './documents.ts';
import { DUPLICATE_KEY, isClash, isDuplicateKey, isGivenUp, refusedWrites } from './failures.ts';
import { INDEXES } from './indexes.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { type ListOrder, readPage } from './pages.ts';
import { repeatOnClash } from './repeat.ts';
import { checked, integer } from './values.ts';

/** The collections of a database. */
export type Database = { readonly [Name in CollectionName]: Items<DocumentOf<Name>, ItemOf<Name>> } & Place;

/** The collections of the database that is open at the time of a call. */
export function databaseAt(current: () => Place): Database {
  const place = {
    collection: (name: string) => current().collection(name),
    command: (command: Document) => current().command(command),
  } as Place;
  const items = Object.entries(SHAPES).map(([name, shape]) => [name, new Items(place, name as CollectionName, shape)]);
  // Sound because `SHAPES` has every name.
  return Object.assign(place, Object.fromEntries(items)) as Database;
}

/** A document before it has an id. */
type Unnumbered<D> = Omit<D, '_id'> & { readonly _id?: never };

/** The filter of one document, and the operators of its update. */
interface Change<Id> {
  readonly filter: { readonly _id: Id; readonly [field: string]: unknown };
  readonly $set: object;
  readonly [operator: string]: unknown;
}

export class Items<D extends { _id: string | number }, Item extends object> {
  readonly #place: Place;
  readonly #name: CollectionName;
  readonly #shape: Shape;

  constructor(place: Place, name: CollectionName, shape: Shape) {
    this.#place = place;
    this.#name = name;
    this.#shape = shape;
  }

  /** The collection itself. */
  get raw(): Collection<D> {
    return this.#place.collection<D>(this.#name);
  }

  async find(filter: Filter<D>, options?: FindOptions): Promise<Item | null> {
    const found = await this.raw.findOne<D>(checked(filter), options);
    return found && this.toItem(found);
  }

  async list(filter: Filter<D>, options?: FindOptions): Promise<Item[]> {
    return (await this.raw.find<D>(checked(filter), options).toArray()).map((found) => this.toItem(found));
  }

  /** Finds documents by the number in a field, in the order of their ids. What callers of one moment look for is one command. */
  finder(field: string): (value: number) => Promise<readonly D[]> {
    const path = field.split('.');
    const valueIn = (document: D) => path.reduce<Document>((of, name) => of[name], document) as unknown as number;
    const find = gathered(async (values: readonly number[]) => {
      const among = { [field]: { $in: [...values] } } as Filter<D>;
      return Map.groupBy(await this.raw.find<D>(among, { sort: { _id: 1 } }).toArray(), valueIn);
    });
    return async (value) => (await find(integer(value))) ?? [];
  }

  /** Finds an item by its number. What callers of one moment look for is one command. */
  finderById(): (id: number) => Promise<Item | null> {
    const find = this.finder('_id');
    return async (id) => {
      const [found] = await find(id);
      return found ? this.toItem(found) : null;
    };
  }

  async page(filter: Filter<D>, order: ListOrder, request: PageRequest | undefined): Promise<Page<Item>> {
    const { items, total } = await readPage(this.raw, checked(filter), order, request);
    return { items: items.map((found) => this.toItem(found)), total };
  }

  async ids(filter: Filter<D>, options?: FindOptions): Promise<D['_id'][]> {
    const found = this.raw.find<Pick<D, '_id'>>(checked(filter), { ...options, projection: { _id: 1 } });
    return (await found.toArray()).map(({ _id }) => _id);
  }

  async exists(filter: Filter<D>): Promise<boolean> {
    return (await this.raw.findOne(checked(filter), { projection: { _id: 1 } })) !== null;
  }

  /** Stores a document that has an id of its own. */
  async insert(document: D): Promise<Item> {
    await repeatOnClash(() => this.raw.insertOne(checked(document) as OptionalUnlessRequiredId<D>), isGivenUp);
    return this.toItem(document);
  }

  /** As `insert`. False, and nothing is stored, if a document with what is unique is there. */
  async insertFirst(document: D): Promise<boolean> {
    try {
      await this.insert(document);
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  /** Stores a document under the next number. */
  async append(document: Unnumbered<D>): Promise<Item> {
    return this.insert(numbered(await this.reserve(), document));
  }

  /** The first of so many new numbers. What callers of one moment take is one command: many for one document hold each other up. */
  async reserve(count = 1): Promise<number> {
    const first = await this.#reserve({ count });
    if (first === undefined) throw new Error('A number that was just taken is missing.');
    return first;
  }

  readonly #reserve = gathered(async (asked: readonly { readonly count: number }[]) => {
    const all = asked.reduce((sum, { count }) => sum + count, 0);
    let next = await takeIds(this.#place, this.#name, all);
    const taken = new Map<(typeof asked)[number], number>();
    for (const one of asked) {
      taken.set(one, next);
      next += one.count;
    }
    return taken;
  });

  /** Stores those that are not there yet, under the next numbers. @returns what it stored, in the order given */
  async insertNew(documents: readonly Unnumbered<D>[]): Promise<readonly D[]> {
    if (documents.length === 0) return [];
    const first = await this.reserve(documents.length);
    return this.insertMissing(documents.map((document, index) => numbered(first + index, document)));
  }

  /**
   * Stores those that are not there yet, by the first unique index of the collection, else by their ids. Those that are there stay as they are. Safe
   * against concurrent calls. @returns what it stored, in the order given
   */
  async insertMissing(documents: readonly D[]): Promise<readonly D[]> {
    const unique = Object.keys(INDEXES[this.#name]?.find((index) => index.unique)?.key ?? { _id: 1 });
    const keyOf = (document: Document) => JSON.stringify(unique.map((field) => document[field]));
    const keyed = documents.map((document) => ({ document: checked(document), key: keyOf(document) }));
    // Bulks that overlap lock what they share in the same order.
    const inOrder = keyed.sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
    const [first] = inOrder;
    if (first === undefined) return [];
    let haveMet = false;
    const insert = async () => {
      try {
        const all = inOrder.map(({ document }) => document as OptionalUnlessRequiredId<D>);
        await this.raw.insertMany(all, { ordered: false });
      } catch (error) {
        if (!isClash(error)) throw error;
        haveMet = true;
        if (!refusedWrites(error)?.every(({ code }) => code === DUPLICATE_KEY)) throw error;
      }
    };
    // Calls that begin with the same document, such as repeated ones, would only hold each other up.
    await oneAtATime(this.#place, `${this.#name} ${first.key}`, () => repeatOnClash(insert));
    if (!haveMet) return documents;
    // The numbers are known to this call only.
    const stored = new Set(await this.ids({ _id: { $in: documents.map(({ _id }) => _id) } } as Filter<D>));
    return documents.filter(({ _id }) => stored.has(_id));
  }

  /** Changes one document. False if none is as the filter says. */
  async update(filter: Filter<D>, update: UpdateFilter<D>): Promise<boolean> {
    checked(update);
    return (await repeatOnClash(() => this.raw.updateOne(checked(filter), update))).matchedCount === 1;
  }

  /** Changes one document, or makes it if there is none. Calls of this process that might make the same one go one by one. */
  async upsert(which: Filter<D>, update: UpdateFilter<D>): Promise<void> {
    await oneAtATime(this.#place, `${this.#name} ${JSON.stringify(which)}`, () =>
      repeatOnClash(() => this.raw.updateOne(checked(which), checked(update), { upsert: true })),
    );
  }

  /** Changes all that are as the filter says. @returns how many they are */
  async updateAll(filter: Filter<D>, update: UpdateFilter<D> | Document[]): Promise<number> {
    checked(update);
    return (await repeatOnClash(() => this.raw.updateMany(checked(filter), update))).matchedCount;
  }

  /**
   * Does these writes in any order. If others meet them, all are repeated: one that is done must change nothing then.
   * @returns how many found their document; of repeated ones some may have been done before
   */
  async writeAll(writes: readonly AnyBulkWriteOperation<D>[]): Promise<number> {
    if (writes.length === 0) return 0;
    return (await repeatOnClash(() => this.raw.bulkWrite(writes, { ordered: false }))).matchedCount;
  }

  /**
   * Changes one document that has a `claim`, if it is as the filter says. What callers of one moment change is one command: of
   * several changes of one document the first is made. What others have changed again meanwhile counts as theirs.
   */
  async updateTogether(change: Change<D['_id']>): Promise<boolean> {
    return (await this.#updateTogether(checked(change))) ?? false;
  }

  readonly #updateTogether = gathered(async (changes: readonly Change<D['_id']>[]) => {
    const claim = randomUUID();
    // In the order of their ids: others that change the same documents wait, and do not meet.
    const firsts = [...new Map(changes.toReversed().map((each) => [each.filter._id, each])).values()].sort(
      (one, other) => (one.filter._id < other.filter._id ? -1 : 1),
    );
    const writes = firsts.map(({ filter, $set, ...rest }) => {
      const update: Document = { ...rest, $set: { ...$set, claim } };
      return { updateOne: { filter: filter as Filter<D>, update: update as UpdateFilter<D> } };
    });
    const those: Document = { _id: { $in: firsts.map(({ filter }) => filter._id) }, claim };
    const matched = await this.writeAll(writes);
    const made = new Set(matched === firsts.length ? those._id.$in : await this.ids(those as Filter<D>));
    return new Map(firsts.map((each) => [each, made.has(each.filter._id)]));
  });

  /** Puts another document in the place of one. False if none is as the filter says. */
  async replace(filter: Filter<D>, document: WithoutId<D>): Promise<boolean> {
    checked(document);
    return (await repeatOnClash(() => this.raw.replaceOne(checked(filter), document))).matchedCount === 1;
  }

  /** Changes one document, once. @returns what is stored then; null if none is as the filter says */
  async change(filter: Filter<D>, update: UpdateFilter<D> | Document[]): Promise<Item | null> {
    const options = { returnDocument: 'after' } as const;
    const write = () => this.raw.findOneAndUpdate(checked(filter), checked(update), options);
    const changed = await repeatOnClash(write, isGivenUp);
    return changed && this.toItem(changed as D);
  }

  /** False if there is none. */
  async delete(filter: Filter<D>): Promise<boolean> {
    return (await repeatOnClash(() => this.raw.deleteOne(checked(filter)))).deletedCount === 1;
  }

  /** @returns how many there were */
  async deleteAll(filter: Filter<D>): Promise<number> {
    return (await this.raw.deleteMany(checked(filter))).deletedCount;
  }

  toItem(document: D): Item {
    const { id = 'id', json = [], hidden = [], optional = [] } = this.#shape;
    const item: Record<string, unknown> = {};
    for (const [field, value] of Object.entries(document)) {
      if (field === '_id') {
        if (id !== null) item[id] = value;
      } else if (!hidden.includes(field) && (value !== null || !optional.includes(field))) {
        item[field] = json.includes(field) && value !== null ? parseJson(String(value)) : value;
      }
    }
    // Sound because `Kinds` and `SHAPES` say the same.
    return item as Item;
  }
}

function numbered<D>(id: number, document: Unnumbered<D>): D {
  return { _id: id, ...document } as D;
}
