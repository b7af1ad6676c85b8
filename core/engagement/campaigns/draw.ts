/**
 * Draws that anybody can check. The seed is made, and its hash published, before anybody takes part. At the draw a public value is
 * mixed in that nobody knew then. So neither the brand nor this service can choose who wins.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { z } from 'zod';
import { pieces } from '../../bulk.ts';

const hash = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits in lower case');
const attemptIds = z.array(z.int().min(1)).min(1);

/** What proves a draw: the winners follow from the rest. */
export const drawProof = z.object({
  campaignId: z.int(),
  commitment: hash.meta({ description: 'SHA-256 of the seed’s 32 bytes, published with the campaign.' }),
  seed: hash,
  beacon: z.string().meta({ description: 'The public value that the campaign named.' }),
  beaconValue: z.string().meta({ description: 'What that public value was.' }),
  participants: attemptIds.meta({ description: 'Ids of attempts, ascending.' }),
  winners: attemptIds.meta({ description: 'Ids of attempts, the lowest score first.' }),
});

/** A draw that took place. */
export interface Draw extends Readonly<Omit<z.output<typeof drawProof>, 'participants' | 'winners'>> {
  readonly participants: readonly number[];
  readonly winners: readonly number[];
  readonly drawnAt: Date;
}

/** How a draw fell on an attempt; `open` before it. */
export type Lot = 'open' | 'won' | 'lost';

/** Scores that are reckoned before other work of the process has its turn: some milliseconds. */
const SCORES_A_TURN = 1_000;

/** What is published of a seed before the draw. */
export const commitmentTo = (seed: string): string => bytesToHex(sha256(hexToBytes(seed)));

/**
 * Returns the winners, the lowest score first. The score of an attempt is the SHA-256 of the seed’s bytes, followed by the text
 * `beaconValue:attemptId`.
 */
export async function pickWinners(
  { seed, beaconValue, participants }: Pick<Draw, 'seed' | 'beaconValue' | 'participants'>,
  places: number,
): Promise<readonly number[]> {
  const common = sha256
    .create()
    .update(hexToBytes(seed))
    .update(utf8ToBytes(`${beaconValue}:`));
  const scoreOf = (id: number) =>
    bytesToHex(
      common
        .clone()
        .update(utf8ToBytes(String(id)))
        .digest(),
    );
  // By the first byte of the score: sorting all of them at once would hold up other work.
  const scored: { readonly id: number; readonly score: string }[][] = Array.from({ length: 256 }, () => []);
  for (const some of pieces(participants, SCORES_A_TURN)) {
    for (const id of some) {
      const score = scoreOf(id);
      scored[Number.parseInt(score.slice(0, 2), 16)]?.push({ id, score });
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  const winners: number[] = [];
  for (const some of scored) {
    if (winners.length >= places) break;
    some.sort((a, b) => (a.score < b.score ? -1 : 1));
    winners.push(...some.map(({ id }) => id));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return winners.slice(0, places);
}

/** Says what is wrong with a proof, in sentences. None: its winners follow from the rest. */
export async function faultsOf(proof: Omit<Draw, 'drawnAt'>): Promise<readonly string[]> {
  const { commitment, seed, participants, winners } = proof;
  const isAscending = participants.every((id, at) => id > (participants[at - 1] ?? 0));
  const expected = await pickWinners(proof, winners.length);
  return [
    ...(commitmentTo(seed) === commitment ? [] : ['The commitment is not the SHA-256 of the seed.']),
    ...(isAscending ? [] : ['The participants are not in ascending order, each once.']),
    ...(expected.join() === winners.join()
      ? []
      : ['The seed, the beacon value and the participants give other winners.']),
  ];
}
