/** Draws the winners of a campaign, once, and has their rewards issued. */
import { bytesToHex } from '@noble/hashes/utils.js';
import { DomainError } from '../../errors.ts';
import { keepNewest } from '../../keep-newest.ts';
import type { KeptDraw } from '../../ports/draw-store.ts';
import type { SecretBox } from '../../ports/secret-box.ts';
import type { Storage } from '../../ports/storage.ts';
import type { Attempt, HeldReason } from '../attempts/attempt.ts';
import { attemptsOf } from '../attempts/find-attempt.ts';
import { goneAmong, type StillThereDeps } from '../attempts/still-there.ts';
import type { Needs } from '../use-case-parts.ts';
import type { Campaign, CampaignWithChallenge, Challenge } from './campaign.ts';
import { commitmentTo, type Draw, type Lot, pickWinners } from './draw.ts';
import { requireCampaign } from './find-campaign.ts';

/** More would not fit into one record. */
export const MOST_PARTICIPANTS = 100_000;
const SEED_BYTES = 32;
export const SEED_CONTEXT = 'draw';
/** Draws that one call releases. */
const BATCH = 10;

export type DrawDeps = StillThereDeps & Needs<'campaigns' | 'attempts' | 'draws', 'secretBox' | 'queue' | 'clock'>;

/** Makes the seed of a draw, keeps it, and returns the commitment to it. */
export async function keepSeed({
  storage,
  random,
  secretBox,
}: Needs<'draws', 'random' | 'secretBox'>): Promise<string> {
  const seed = bytesToHex(random.bytes(SEED_BYTES));
  const commitment = commitmentTo(seed);
  await storage.draws.keep({ commitment, sealedSeed: secretBox.seal(seed, SEED_CONTEXT) });
  return commitment;
}

type DrawInput = Pick<Draw, 'campaignId' | 'beaconValue'> & { readonly winners: number };

/**
 * Draws among the attempts that are verified now. Attempts that are verified later win nothing. Repeating it with the same values gives the
 * same draw, and exactly one of concurrent calls draws.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` without a draw, before the campaign's end, after a draw with other values, or with too many or
 * too few participants
 */
export function drawWinners(deps: DrawDeps) {
  const { draws } = deps.storage;
  return async (input: DrawInput): Promise<Draw> => {
    const { kept, beacon, ...found } = await findDraw(deps, input.campaignId);
    if (kept === null) {
      throw new DomainError('CONFLICT', 'The campaign has no draw. Give `terms.draw` when you create one.');
    }
    const { commitment } = kept;
    if (kept.draw === undefined) {
      checkEnd(found.campaign, deps.clock.now());
      const participants = await participantsIn(deps, found);
      const { winners: places, campaignId, beaconValue } = input;
      if (places > participants.length) {
        const message = `The campaign has ${participants.length} verified participants. Draw at most so many winners.`;
        throw new DomainError('CONFLICT', message, { details: { participants: participants.length } });
      }
      const seed = openSeed(deps.secretBox, kept);
      const winners = await pickWinners({ seed, beaconValue, participants }, places);
      const drawnAt = deps.clock.now();
      const drawn = { campaignId, commitment, seed, beacon, beaconValue, participants, winners, drawnAt };
      await draws.decide(commitment, drawn);
    }
    const stored = await draws.find(commitment);
    if (stored?.draw === undefined) throw new Error(`The draw of campaign ${input.campaignId} is missing.`);
    const { draw } = stored;
    if (draw.beaconValue !== input.beaconValue || draw.winners.length !== input.winners) {
      const message = `The winners were drawn already: ${draw.winners.length} of them, by the value ${JSON.stringify(draw.beaconValue)}.`;
      throw new DomainError('CONFLICT', message);
    }
    // The jobs of a large draw would hold the answer up for minutes: `releaseDraws` starts the others.
    if (stored.state === 'drawn') await release(deps, draw, found.challenge, 1);
    return draw;
  };
}

/** What was drawn. @throws DomainError `NOT_FOUND` before the draw, and without one */
export function readDraw(deps: Pick<DrawDeps, 'storage'>) {
  return async (campaignId: number): Promise<Draw> => {
    const draw = (await findDraw(deps, campaignId)).kept?.draw;
    if (draw !== undefined) return draw;
    throw new DomainError('NOT_FOUND', `No winners of campaign ${campaignId} were drawn.`);
  };
}

/** Continues draws until all participants know: large ones, and those that a crash cut off. Returns how many there were. */
export function releaseDraws(deps: DrawDeps) {
  return async (): Promise<number> => {
    const unreleased = await deps.storage.draws.unreleased(BATCH);
    for (const { draw } of unreleased) {
      const found = draw && (await deps.storage.campaigns.find(draw.campaignId));
      if (found) await release(deps, draw, found.challenge);
    }
    return unreleased.length;
  };
}

/** Who may still take part is not left out. @throws DomainError `CONFLICT` */
function checkEnd({ isActive, endsAt }: Campaign, now: Date): void {
  if (!isActive || endsAt === null || endsAt <= now) return;
  const message = `The campaign ends at ${endsAt.toISOString()}. Draw after that, or end the campaign first.`;
  throw new DomainError('CONFLICT', message);
}

/** Every verified attempt is looked at again: its job issues the reward, or says that the lot fell on others. At most so many pages. */
async function release(
  { storage, queue }: DrawDeps,
  { commitment }: Draw,
  challenge: Challenge,
  pages = Infinity,
): Promise<void> {
  let left = pages;
  for await (const attempts of attemptsOf(storage, challenge, { state: 'verified' })) {
    if (left === 0) return;
    left -= 1;
    const jobOf = ({ id }: Attempt) =>
      ({ type: 'issue-reward', key: `draw:${id}`, payload: { attemptId: id } }) as const;
    await queue.enqueue(attempts.filter(({ held }) => !isTold(held?.why)).map(jobOf));
  }
  await storage.draws.markReleased(commitment);
}

/** The draw changes nothing of it, or has done so. */
const isTold = (why: HeldReason | undefined) => why === 'not-drawn' || why === 'gone' || why === 'refused';

async function participantsIn(deps: DrawDeps, found: CampaignWithChallenge): Promise<readonly number[]> {
  const ids: number[] = [];
  for await (const attempts of attemptsOf(deps.storage, found.challenge, { state: 'verified' })) {
    const taking = attempts.filter(({ held }) => !isTold(held?.why));
    const gone = await goneAmong(deps, found, taking);
    ids.push(...taking.filter((attempt) => !gone.has(attempt)).map(({ id }) => id));
    if (ids.length > MOST_PARTICIPANTS) {
      throw new DomainError('CONFLICT', `More than ${MOST_PARTICIPANTS} take part: so many cannot be drawn from.`);
    }
  }
  return ids;
}

/** @throws DomainError `NOT_FOUND` if there is no such campaign */
async function findDraw({ storage }: Pick<DrawDeps, 'storage'>, campaignId: number) {
  const { campaign, challenge } = await requireCampaign(storage, campaignId);
  const terms = campaign.terms?.draw;
  const kept = terms === undefined ? null : await storage.draws.find(terms.commitment);
  return { kept, beacon: terms?.beacon ?? '', campaign, challenge };
}

function openSeed(box: SecretBox, { sealedSeed }: KeptDraw): string {
  try {
    return box.open(sealedSeed, SEED_CONTEXT);
  } catch (cause) {
    const message = 'The seed cannot be opened with the configured key. Put the key back that it was sealed with.';
    throw new DomainError('CONFLICT', message, { cause });
  }
}

/** Draws whose winners are remembered: what was drawn never changes. */
const MOST_REMEMBERED = 10;

/** Returns how a draw fell on an attempt. */
export function readLots({ draws }: Pick<Storage, 'draws'>) {
  const known = new Map<string, ReadonlySet<number>>();
  return async (commitment: string, attemptId: number): Promise<Lot> => {
    let winners = known.get(commitment);
    if (winners === undefined) {
      const draw = (await draws.find(commitment))?.draw;
      if (draw === undefined) return 'open';
      winners = new Set(draw.winners);
      keepNewest(known, commitment, winners, MOST_REMEMBERED);
    }
    return winners.has(attemptId) ? 'won' : 'lost';
  };
}
