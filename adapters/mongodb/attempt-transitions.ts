/**
 * Transitions of attempts, many in one command. A bulk tells how many of its writes found their document, and not which. So each
 * write leaves a mark in its document, and if some found none, the marks tell which did.
 */
import { randomBytes } from 'node:crypto';
import type { AnyBulkWriteOperation, Db, UpdateFilter } from 'mongodb';
import type { Attempt } from '../../core/engagement/attempts/attempt.ts';
import type { OutboxEntry } from '../../core/engagement/webhooks/outbox.ts';
import { transitionUpdate } from './attempt-documents.ts';
import { type AttemptDocument, collection } from './documents.ts';
import { refusedWrites } from './failures.ts';
import { gathered } from './gathered.ts';
import { repeatOnClash } from './repeat.ts';
import { integer } from './values.ts';

interface Transition {
  readonly filter: { readonly _id: number; readonly revision: number };
  readonly update: UpdateFilter<AttemptDocument>;
}

/** Marks of transitions that others may make before this process looks; an attempt makes few in all. */
const MARKS_KEPT = 8;

/** As `AttemptStore.transition`; calls that come together are one command. */
export async function transition(
  db: Db,
  before: Attempt,
  after: Attempt,
  outbox: readonly OutboxEntry[],
): Promise<boolean> {
  const filter = { _id: integer(before.id), revision: integer(before.revision) };
  const settled = await transitionAll(db, { filter, update: transitionUpdate(after, outbox) });
  return settled();
}

/** Each result returns whether the transition was made, or throws why it could not be. */
const transitionAll = gathered<Transition, () => boolean>(async (db, transitions) => {
  const [first] = transitions;
  if (transitions.length === 1 && first !== undefined) {
    const { filter, update } = first;
    const { matchedCount } = await repeatOnClash(() => collection(db, 'attempts').updateOne(filter, update));
    return [() => matchedCount === 1];
  }
  const marked = transitions.map(withMark);
  const failures = await writeAll(db, marked);
  if (failures === null) return marked.map(() => () => true);
  const made = await marksOf(db, marked);
  return marked.map(({ mark }) => () => {
    const failure = failures.get(mark);
    if (failure !== undefined) throw failure;
    return made.has(mark);
  });
});

interface MarkedTransition extends Transition {
  readonly mark: string;
}

function withMark({ filter, update }: Transition): MarkedTransition {
  const mark = randomBytes(9).toString('base64url');
  const $push = { ...update.$push, marks: { $each: [mark], $slice: -MARKS_KEPT } };
  return { filter, update: { ...update, $push }, mark };
}

/** Null if every write found its document; else what the server refused, by the mark. */
async function writeAll(db: Db, marked: readonly MarkedTransition[]): Promise<ReadonlyMap<string, Error> | null> {
  // Bulks that overlap lock what they share in the same order.
  const ordered = [...marked].sort((a, b) => a.filter._id - b.filter._id);
  const writes = ordered.map(
    ({ filter, update }): AnyBulkWriteOperation<AttemptDocument> => ({
      updateOne: { filter, update },
    }),
  );
  try {
    const { matchedCount } = await repeatOnClash(() =>
      collection(db, 'attempts').bulkWrite(writes, { ordered: false }),
    );
    return matchedCount === marked.length ? null : new Map();
  } catch (error) {
    const refused = refusedWrites(error);
    if (refused === null) throw error;
    return new Map(
      refused.flatMap(({ index, errmsg = 'A write was refused.' }) => {
        const mark = ordered[index]?.mark;
        return mark === undefined ? [] : [[mark, new Error(errmsg)] as const];
      }),
    );
  }
}

async function marksOf(db: Db, marked: readonly MarkedTransition[]): Promise<ReadonlySet<string>> {
  const found = await collection(db, 'attempts')
    .find({ _id: { $in: marked.map(({ filter }) => filter._id) } })
    .project<Pick<AttemptDocument, 'marks'>>({ _id: 0, marks: 1 })
    .toArray();
  return new Set(found.flatMap(({ marks = [] }) => marks));
}
