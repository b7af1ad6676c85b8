/** Revoking a token in the name of another one, without a transaction. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { DomainError } from '../../core/errors.ts';
import { collection } from './documents.ts';

/** Far longer than two writes take. If the process dies between them, nobody revokes the token for so long. */
const MARK_MS = 30_000;
const TRIES = 8;
const PAUSE_MS = 4;

/** Sets the time of revocation, unless the token is revoked already. */
export async function revokeOne(db: Db, id: number, now: Date): Promise<void> {
  await collection(db, 'tokens').updateOne({ _id: id, revokedAt: null }, { $set: { revokedAt: now } });
}

/**
 * The same, if the token `by` is not revoked: false if it is. Its document says that it revokes, and a token that does so cannot be
 * revoked. Of tokens that meet, each steps back for a random moment.
 * @throws DomainError `CONFLICT` if others meet it again and again
 */
export async function revokeInNameOf(db: Db, by: number, id: number, now: Date): Promise<boolean> {
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const outcome = await tryToRevoke(db, by, id, now);
    if (outcome !== 'met') return outcome === 'done';
    await sleep(Math.random() * PAUSE_MS * 2 ** tries);
  }
  throw new DomainError('CONFLICT', `Token ${id} revokes others at this moment: try again.`);
}

async function tryToRevoke(db: Db, by: number, id: number, now: Date): Promise<'done' | 'refused' | 'met'> {
  const tokens = collection(db, 'tokens');
  const mark = { id: crypto.randomUUID(), until: new Date(now.getTime() + MARK_MS) };
  const marked = await tokens.updateOne({ _id: by, revokedAt: null }, { $push: { revoking: mark } });
  if (marked.matchedCount === 0) return 'refused';
  try {
    const isFree = { $not: { $elemMatch: { until: { $gt: now } } } };
    const revoked = await tokens.updateOne(
      { _id: id, revokedAt: null, revoking: isFree },
      { $set: { revokedAt: now } },
    );
    if (revoked.matchedCount === 1) return 'done';
    return (await tokens.findOne({ _id: id, revokedAt: null })) === null ? 'done' : 'met';
  } finally {
    await tokens.updateOne({ _id: by }, { $pull: { revoking: { id: mark.id } } });
  }
}
