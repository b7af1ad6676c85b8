/**
 * How many comments a challenge has, without counting them for each page. Without transactions a kept total could drift. So a
 * process remembers what it has counted, and the campaign's document says whether that still holds. Every write of comments is
 * announced there before it begins, and noted when it is over.
 */
import type { Db, UpdateFilter } from 'mongodb';
import { keepNewest } from '../../core/keep-newest.ts';
import { type CampaignDocument, type CommentWrites, collection } from './documents.ts';
import { repeatOnClash } from './repeat.ts';

/** A write that has not ended for so long belongs to a process that died. */
const DEAD_MS = 3_600_000;
/** For what is written past the announcements, for example by a process of an earlier release. */
const REMEMBERED_MS = 60_000;
const REMEMBERED = 1_000;

interface Counted extends Pick<CommentWrites, 'begun' | 'ended'> {
  readonly total: number;
  readonly until: number;
}

const remembered = new WeakMap<Db, Map<number, Counted>>();
const NO_WRITES: CommentWrites = { begun: 0, ended: 0, at: new Date(0) };

/** Announces a write of comments; false if the challenge is gone. */
export async function beginWrite(db: Db, challengeId: number): Promise<boolean> {
  const update = { $inc: { 'commentWrites.begun': 1 }, $set: { 'commentWrites.at': new Date() } };
  return isUpdated(db, challengeId, update);
}

/** Notes the end of a write; false if the challenge is gone. */
export async function endWrite(db: Db, challengeId: number): Promise<boolean> {
  const update = { $inc: { 'commentWrites.ended': 1 } };
  return isUpdated(db, challengeId, update);
}

async function isUpdated(db: Db, challengeId: number, update: UpdateFilter<CampaignDocument>): Promise<boolean> {
  const campaigns = collection(db, 'campaigns');
  const { matchedCount } = await repeatOnClash(() => campaigns.updateOne({ 'challenge.id': challengeId }, update));
  return matchedCount === 1;
}

/** Counts the comments of a challenge, if they may be others than when this process counted them last. */
export async function countComments(db: Db, challengeId: number): Promise<number> {
  const known = remembered.get(db) ?? new Map<number, Counted>();
  remembered.set(db, known);
  const before = await writesOf(db, challengeId);
  const last = known.get(challengeId);
  if (last !== undefined && before !== null && isSame(last, before) && last.until > Date.now()) return last.total;
  const total = await collection(db, 'comments').countDocuments({ challengeId });
  const after = await writesOf(db, challengeId);
  if (before === null || after === null || !isSame(before, after) || !areOver(before)) known.delete(challengeId);
  else keepNewest(known, challengeId, { ...before, total, until: Date.now() + REMEMBERED_MS }, REMEMBERED);
  return total;
}

/** Null if the challenge is gone. */
async function writesOf(db: Db, challengeId: number): Promise<CommentWrites | null> {
  const projection = { _id: 0, commentWrites: 1 };
  const found = await collection(db, 'campaigns').findOne({ 'challenge.id': challengeId }, { projection });
  return found === null ? null : { ...NO_WRITES, ...found.commentWrites };
}

function isSame(one: Pick<CommentWrites, 'begun' | 'ended'>, other: Pick<CommentWrites, 'begun' | 'ended'>): boolean {
  return one.begun === other.begun && one.ended === other.ended;
}

function areOver({ begun, ended, at }: CommentWrites): boolean {
  return begun === ended || at.getTime() < Date.now() - DEAD_MS;
}
