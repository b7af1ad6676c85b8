import { atMost, pieces } from '../../core/bulk.ts';
import type { NewComment, SweepProgress, VisibilityChange } from '../../core/engagement/challenge-data/comment.ts';
import { textKeyOf } from '../../core/engagement/rules/comment-text.ts';
import { type AuthorKey, foundAmong, splitKeys } from '../../core/platforms/author-key.ts';
import { normaliseHandle } from '../../core/platforms/handle.ts';
import { type CommentStore, SweepTakenOver } from '../../core/ports/comment-store.ts';
import { challengeStands } from './attempt-gate.ts';
import { completeAuthors } from './author-numbers.ts';
import { type AuthorField, firstBy, newestOf } from './comments-by.ts';
import type { Database } from './items.ts';
import { chunks, equals, instant, integer, text, texts } from './values.ts';

/** Texts in one command: for more, a server may read all comments of the challenge. */
const MAX_TEXTS = 100;
/** Spans of time in one command. */
const MAX_SPANS = 50;

const EARLIEST = { commentedAt: 1, _id: 1 } as const;

export function createCommentStore(db: Database): CommentStore {
  const { comments, sweeps } = db;
  return {
    async insertNew(challengeId, given, now, progress) {
      if (!(await challengeStands(db, integer(challengeId)))) return 0;
      let inserted = 0;
      for (const chunk of chunks(given)) inserted += await insertChunk(db, challengeId, chunk, now);
      // The purge of a campaign that is deleted meanwhile may have looked for comments before.
      if (!(await challengeStands(db, challengeId))) {
        await comments.deleteAll({ challengeId });
        return 0;
      }
      if (progress !== undefined) await saveSweep(db, progress);
      return inserted;
    },

    page(challengeId, page, which) {
      const isMet = which && { $gte: instant(which.metSince) };
      const met = isMet && { $or: [{ createdAt: isMet }, { metAt: isMet }], withheld: { $ne: 'removed' as const } };
      return comments.page({ challengeId: integer(challengeId), ...met }, '-commentedAt', page);
    },

    knownAmong: (challengeId, ids, since) => knownAmong(db, integer(challengeId), texts(ids), since && instant(since)),

    async earliestByAuthors(challengeId, authors, which, countHidden) {
      const seen = seenOf(challengeId, countHidden);
      return byAuthors(authors, (by, keys) => {
        if (which === undefined) return firstBy(db, by, keys, seen, EARLIEST);
        return firstBy(db, 'author', by === 'author' ? keys : [], { ...seen, authorId: null }, { _id: 1 });
      });
    },

    async ofAuthors(challengeId, authors, countHidden) {
      const seen = seenOf(challengeId, countHidden);
      return byAuthors(authors, (by, keys) => newestOf(db, by, keys, seen));
    },

    async firstOfTexts(challengeId, keys) {
      const sought = texts(atMost(keys, 'texts'));
      const found = [...pieces(sought, MAX_TEXTS)].map((some) =>
        firstBy(db, 'textKey', some, equals({ challengeId }), EARLIEST),
      );
      return new Map((await Promise.all(found)).flat());
    },

    async countAround(challengeId, times, withinMs, most) {
      const [within, limit] = [integer(withinMs), integer(most)];
      const asked = atMost(times, 'times').map((time) => instant(time).getTime());
      const inOrder = asked.sort((one, other) => one - other);
      const spans = [...pieces(spansOf(inOrder, within), MAX_SPANS)];
      const written = (await Promise.all(spans.map((some) => timesIn(db, challengeId, some)))).flat();
      const counts = countNear(inOrder, written, within);
      return new Map(inOrder.map((time, index) => [time, Math.min(counts[index] ?? 0, limit)]));
    },

    async withhold(challengeId, changes) {
      if (!(await challengeStands(db, integer(challengeId)))) return;
      if (!('unmetSince' in changes)) {
        for (const change of changes) await withhold(db, challengeId, change);
        return;
      }
      const isOld = { $not: { $gte: instant(changes.unmetSince) } };
      const unmet = { createdAt: isOld, metAt: isOld, visibilityAt: isOld, withheld: { $ne: 'removed' as const } };
      const removed = { withheld: 'removed' as const, visibilityAt: instant(changes.now) };
      const which = { ...unmet, ...(changes.topLevelOnly && { isReply: { $ne: true } }) };
      await comments.updateAll({ challengeId, scopedAuthorId: { $gte: '' }, ...which }, { $set: removed });
    },

    withheldSince(challengeId, since, afterId = 0) {
      const visibilityAt = { $gte: instant(since) };
      const isLater = [{ visibilityAt: { $gt: since } }, { _id: { $gt: integer(afterId) } }];
      const withheld = { withheld: { $gte: 'hidden' as const }, visibilityAt, $or: isLater };
      const oldestFirst = { sort: { visibilityAt: 1, _id: 1 }, limit: 1_000 } as const;
      return comments.list({ challengeId: integer(challengeId), ...withheld }, oldestFirst);
    },

    sweep: sweeps.finderById(),

    async beginSweep({ challengeId, ...start }, last) {
      if (!(await challengeStands(db, integer(challengeId)))) return false;
      if (last === null) {
        if (!(await sweeps.insertFirst({ _id: challengeId, ...start }))) return false;
      } else {
        const unchanged = { ...equals({ _id: challengeId, lease: last.lease }), updatedAt: last.updatedAt };
        if (!(await sweeps.replace(unchanged, start))) return false;
      }
      return removeIfGone(db, challengeId);
    },

    saveSweep: (progress) => saveSweep(db, progress),
  };
}

/** What is read by each kind of these keys, under the keys that were asked for. */
async function byAuthors<Found>(
  authors: readonly AuthorKey[],
  read: (by: AuthorField, keys: readonly string[]) => Promise<readonly (readonly [AuthorKey, Found])[]>,
): Promise<ReadonlyMap<AuthorKey, Found>> {
  const { handles, numbers, scoped } = splitKeys(atMost(authors, 'handles or numbers'));
  const found = [read('author', handles), read('authorId', numbers), read('scopedAuthorId', scoped)];
  return foundAmong(authors, new Map((await Promise.all(found)).flat()));
}

/** What can be seen of a challenge's comments. */
const seenOf = (challengeId: number, countHidden = false) => ({
  ...equals({ challengeId }),
  withheld: countHidden ? { $ne: 'removed' as const } : { $exists: false },
});

type Span = readonly [from: number, to: number];

/** What is within so many milliseconds of times in their order, as few spans: claims of one moment are often of comments of one moment. */
function spansOf(times: readonly number[], within: number): readonly Span[] {
  const spans: [number, number][] = [];
  for (const time of times) {
    const last = spans.at(-1);
    if (last !== undefined && time - within <= last[1]) last[1] = time + within;
    else spans.push([time - within, time + within]);
  }
  return spans;
}

interface Written {
  readonly _id: Date;
  readonly count: number;
}

/** How many comments of the challenge there are of each time in these spans. */
function timesIn({ comments }: Database, challengeId: number, spans: readonly Span[]) {
  const within = ([from, to]: Span) => ({ commentedAt: { $gte: new Date(from), $lte: new Date(to) } });
  const $or = spans.map((span) => ({ ...equals({ challengeId }), ...within(span) }));
  const grouped = { $group: { _id: '$commentedAt', count: { $sum: 1 } } };
  return comments.raw.aggregate<Written>([{ $match: { $or } }, grouped, { $sort: { _id: 1 } }]).toArray();
}

/** For each time how many are near it, both in their order: a busy post has tens of thousands of them around a few hundred times. */
function countNear(times: readonly number[], written: readonly Written[], within: number): readonly number[] {
  const timeOf = (index: number) => written[index]?._id.getTime() ?? Infinity;
  const countOf = (index: number) => written[index]?.count ?? 0;
  let [from, to, count] = [0, 0, 0];
  return times.map((time) => {
    for (; timeOf(to) <= time + within; to += 1) count += countOf(to);
    for (; timeOf(from) < time - within; from += 1) count -= countOf(from);
    return count;
  });
}

async function saveSweep(db: Database, { challengeId, ...progress }: SweepProgress): Promise<void> {
  if (!(await challengeStands(db, integer(challengeId)))) return;
  const replace = () => db.sweeps.replace({ _id: challengeId, lease: { $lte: integer(progress.lease) } }, progress);
  const insert = () => db.sweeps.insertFirst({ _id: challengeId, ...progress });
  // What another call has just stored may be of this sweep, too.
  if (!(await replace()) && !(await insert()) && !(await replace())) throw new SweepTakenOver();
  await removeIfGone(db, challengeId);
}

/** False if the challenge was deleted meanwhile; then its progress goes, too. */
async function removeIfGone(db: Database, challengeId: number): Promise<boolean> {
  if (await challengeStands(db, challengeId)) return true;
  await db.sweeps.delete({ _id: challengeId });
  return false;
}

/** Of two changes of one comment the later one stands. */
async function withhold({ comments }: Database, challengeId: number, change: VisibilityChange): Promise<void> {
  const { withheld, at } = change;
  const which = equals({ challengeId, platformCommentId: change.platformCommentId });
  const visibilityAt = instant(at);
  const update = withheld === null ? { $unset: { withheld: '' as const } } : {};
  const $set = { visibilityAt, ...(withheld === null ? {} : { withheld }) };
  const isChanged = await comments.update(
    { ...which, visibilityAt: { $not: { $gte: visibilityAt } } },
    { ...update, $set },
  );
  if (isChanged || withheld === null || (await comments.exists(which))) return;
  const blank = { username: '', author: '', authorId: null, commentText: '', commentedAt: at, createdAt: at };
  const { platformCommentId } = change;
  await comments.insertNew([{ challengeId, platformCommentId, ...blank, withheld, visibilityAt }]);
}

/** Notes whether the owner of the post hides known comments, as the list says. */
async function noteHidden(db: Database, challengeId: number, told: readonly NewComment[], now: Date): Promise<void> {
  const ids = told.flatMap(({ platformCommentId, isHidden }) => (isHidden === undefined ? [] : [platformCommentId]));
  if (ids.length === 0) return;
  const which = { challengeId, platformCommentId: { $in: ids }, withheld: { $exists: true } };
  const withheld = (await db.comments.list(which)).map(({ platformCommentId }) => platformCommentId);
  for (const { platformCommentId, isHidden } of told) {
    if (isHidden === undefined || isHidden === withheld.includes(platformCommentId)) continue;
    await withhold(db, challengeId, { platformCommentId, withheld: isHidden ? 'hidden' : null, at: now });
  }
}

async function knownAmong(
  db: Database,
  challengeId: number,
  ids: readonly string[],
  since?: Date,
): Promise<ReadonlySet<string>> {
  const projection = { _id: 0, platformCommentId: 1, createdAt: 1, metAt: 1 };
  const known = db.comments.raw.find({ challengeId, platformCommentId: { $in: [...ids] } }, { projection });
  const met = (await known.toArray()).filter(
    ({ createdAt, metAt }) => since === undefined || (metAt ?? createdAt) >= since,
  );
  return new Set(met.map(({ platformCommentId }) => platformCommentId));
}

async function insertChunk(
  db: Database,
  challengeId: number,
  given: readonly NewComment[],
  now: Date,
): Promise<number> {
  const byId = new Map(given.map((comment) => [text(comment.platformCommentId), comment] as const).reverse());
  const known = await knownAmong(db, challengeId, [...byId.keys()]);
  if (known.size > 0) {
    const met = { challengeId, platformCommentId: { $in: [...known] }, createdAt: { $lt: now } };
    await db.comments.updateAll(met, { $set: { metAt: now } });
    await completeAuthors(db, challengeId, byId);
    const told = [...byId.values()].filter(({ platformCommentId }) => known.has(platformCommentId));
    await noteHidden(db, challengeId, told, now);
  }
  const added = [...byId.values()].reverse().filter(({ platformCommentId }) => !known.has(platformCommentId));
  const documents = added.map(({ authorId, scopedAuthorId, isHidden, ...comment }) => {
    const textKey = textKeyOf(comment.commentText);
    return {
      ...comment,
      challengeId,
      author: normaliseHandle(comment.username),
      authorId: authorId == null ? null : text(authorId),
      ...(scopedAuthorId != null && { scopedAuthorId: text(scopedAuthorId) }),
      ...(isHidden && { withheld: 'hidden' as const, visibilityAt: now }),
      ...(textKey !== null && { textKey }),
      createdAt: now,
    };
  });
  return (await db.comments.insertNew(documents)).length;
}
