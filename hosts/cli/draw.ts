/** `credence draw verify`: recomputes who won a draw, offline. */
import type { Command } from 'commander';
import { drawProof, faultsOf } from '../../core/engagement/campaigns/draw.ts';
import { plainIssues } from '../../core/plain-issue.ts';
import { readJson } from './files.ts';
import { dataOf } from './output.ts';
import { type Surroundings, wantsJson } from './surroundings.ts';
import { UsageError } from './usage-error.ts';

const HELP = `
Exit codes: 0 if the winners follow from the proof; 1 if not; 2 if called wrongly.

Example:
  credence campaigns read-draw 7 --json | credence draw verify -`;

/** Adds the group `draw`. */
export function addDrawCommand(program: Command, { print, fail }: Surroundings): void {
  program
    .command('draw')
    .description('checks draws of campaigns')
    .command('verify')
    .description('recomputes the winners of a draw, offline, and says what to check by hand')
    .argument('<file>', 'the proof of a draw as the API answers it; - for standard input')
    .addHelpText('after', HELP)
    .action(async (file: string, _: unknown, command: Command) => {
      const parsed = drawProof.safeParse(dataOf(await readJson(file, 'the proof of a draw')));
      if (!parsed.success) throw new UsageError(`${file} holds no proof of a draw: ${plainIssues(parsed.error)}.`);
      const proof = parsed.data;
      const { campaignId, commitment, beacon, beaconValue, participants, winners } = proof;
      const faults = await faultsOf(proof);
      const holds = faults.length === 0;
      if (!holds) fail();
      const checkByHand = [
        `The value of ${JSON.stringify(beacon)} was ${JSON.stringify(beaconValue)}, and nobody knew it before the last participant was verified.`,
        `Campaign ${campaignId} showed the commitment ${commitment} before its first participant.`,
        'The participants are all who fulfilled the challenge; each creator knows the id of their own attempt.',
      ];
      if (wantsJson(command)) return print(JSON.stringify({ holds, faults, winners, checkByHand }, null, 2));
      if (!holds) return print(`The draw does not hold.\n${faults.join('\n')}`);
      const verdict = `The draw holds: of ${participants.length} attempts, these win: ${winners.join(', ')}`;
      print(`${verdict}\nCheck by hand:\n${checkByHand.map((each) => `- ${each}`).join('\n')}`);
    });
}
