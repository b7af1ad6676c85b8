/**
 * "Exactly one wins" between deleting a campaign and creating its first attempt, without a transaction: both have to
 * write the campaign document, so its atomic writes decide.
 *
 * Creating opens the gate, inserts, then settles the gate; settling fails when the campaign went meanwhile, and then the
 * attempt is withdrawn. Deleting succeeds only while no gate was opened. A gate that was opened and never settled belongs to
 * a creation under way, or to a crashed one. After `LEASE_MS` without an attempt it no longer holds a deletion up.
 */
import { randomUUID } from 'node:crypto';
import { keepNewest } from '../../core/keep-newest.ts';
import type { Database } from './items.ts';

/** Longer than any creation takes; one that is slower still is withdrawn when it settles. */
export const LEASE_MS = 60_000;

const MAX_SETTLED = 10_000;

/** Challenges that this process has seen settled: they stay so. */
const settledGates = new WeakMap<Database, Map<number, true>>();

function rememberSettled(db: Database, challengeId: number): void {
  const known = settledGates.get(db) ?? new Map<number, true>();
  settledGates.set(db, known);
  keepNewest(known, challengeId, true, MAX_SETTLED);
}

/** `settled`: an attempt was created before, so the campaign cannot be deleted any more. */
export async function openGate(db: Database, challengeId: number): Promise<'open' | 'settled' | 'gone'> {
  if (settledGates.get(db)?.has(challengeId) === true) return 'settled';
  const campaign = await db.campaigns.raw.findOne({ 'challenge.id': challengeId }, { projection: { gate: 1 } });
  if (campaign === null) return 'gone';
  if (campaign.gate?.settled === true) {
    rememberSettled(db, challengeId);
    return 'settled';
  }
  const gate = { nonce: randomUUID(), at: new Date(), settled: false };
  const isOpen = { 'challenge.id': challengeId, 'gate.settled': { $ne: true } };
  if (await db.campaigns.update(isOpen, { $set: { gate } })) return 'open';
  return (await challengeStands(db, challengeId)) ? 'open' : 'gone';
}

/** After attempts were inserted. False when the campaign was deleted meanwhile: the attempts have to be withdrawn. */
export function settleGate(db: Database, challengeId: number): Promise<boolean> {
  return db.campaigns.update({ 'challenge.id': challengeId }, { $set: { 'gate.settled': true } });
}

/** Deletes the campaign document unless its challenge has an attempt, or is about to get one. */
export async function deleteUnlessAttempted(
  db: Database,
  campaignId: number,
  beforeDelete: (challengeId: number) => Promise<void>,
): Promise<{ readonly deleted: number } | 'has-attempts' | 'not-found'> {
  for (;;) {
    const campaign = await db.campaigns.raw.findOne({ _id: campaignId });
    if (campaign === null) return 'not-found';
    const { gate, challenge } = campaign;
    if (gate !== undefined && (gate.settled || Math.abs(Date.now() - gate.at.getTime()) < LEASE_MS))
      return 'has-attempts';
    if (await db.attempts.exists({ challengeId: challenge.id })) return 'has-attempts';
    await beforeDelete(challenge.id);
    const unchanged =
      gate === undefined ? { gate: { $exists: false } } : { 'gate.nonce': gate.nonce, 'gate.settled': { $ne: true } };
    if (await db.campaigns.delete({ _id: campaignId, ...unchanged })) return { deleted: challenge.id };
  }
}

/** Whether the challenge stands; for bulk writes of what hangs on it. */
export function challengeStands(db: Database, challengeId: number): Promise<boolean> {
  return db.campaigns.exists({ 'challenge.id': challengeId });
}
