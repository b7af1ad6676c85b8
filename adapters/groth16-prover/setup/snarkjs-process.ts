/**
 * The process in which a set-up runs snarkjs (GPL-3.0), a separate program. One for all commands of a step: building the
 * arithmetic takes longer than a command on a small circuit.
 */

import { writeFile } from 'node:fs/promises';
import { curves, powersOfTau, zKey } from 'snarkjs';

/** What the parent sends. `args` are those of the command of that name on the command line of snarkjs, a name last. */
export interface SnarkjsTask {
  readonly command: SnarkjsCommand;
  readonly args: readonly string[];
  /** Of a contribution. It comes over the channel, so that no list of processes shows it. */
  readonly entropy: string | undefined;
}

/** What the process answers. `output` is the tail of what snarkjs said. */
export interface SnarkjsOutcome {
  readonly succeeded: boolean;
  readonly output: string;
}

export type SnarkjsCommand = keyof typeof COMMANDS;

const OUTPUT_LENGTH = 4_000;

let output = '';
const say = (line: string) => {
  output = `${output}${line}\n`.slice(-OUTPUT_LENGTH);
};
const log = { debug: () => undefined, info: say, warn: say, error: say };

/** Each resolves to false, or rejects, if it fails. */
const COMMANDS = {
  'powersoftau new': async ([curve = '', power = '', to = '']: readonly string[]) =>
    powersOfTau.newAccumulator(await curves.getCurveFromName(curve), Number(power), to, log),
  'powersoftau beacon': ([from = '', to = '', value = '', rounds = '', name = '']: readonly string[]) =>
    powersOfTau.beacon(from, to, name, value, Number(rounds), log),
  'powersoftau prepare phase2': ([from = '', to = '']: readonly string[]) => powersOfTau.preparePhase2(from, to, log),
  'powersoftau verify': async ([path = '']: readonly string[]) => (await powersOfTau.verify(path, log)) === true,
  'groth16 setup': async ([constraints = '', ptau = '', to = '']: readonly string[]) =>
    (await zKey.newZKey(constraints, ptau, to, log)) !== -1,
  'zkey contribute': ([from = '', to = '', name = '']: readonly string[], entropy = '') => {
    if (entropy === '') throw new Error('A contribution needs entropy.');
    return zKey.contribute(from, to, name, entropy, log);
  },
  'zkey beacon': ([from = '', to = '', value = '', rounds = '', name = '']: readonly string[]) =>
    zKey.beacon(from, to, name, value, Number(rounds), log),
  'zkey verify': async ([constraints = '', ptau = '', key = '']: readonly string[]) =>
    (await zKey.verifyFromR1cs(constraints, ptau, key, log)) === true,
  'zkey export verificationkey': async ([key = '', to = '']: readonly string[]) =>
    writeFile(to, JSON.stringify(await zKey.exportVerificationKey(key, log), undefined, 1)),
} as const;

async function perform({ command, args, entropy }: SnarkjsTask): Promise<SnarkjsOutcome> {
  output = '';
  try {
    return { succeeded: (await COMMANDS[command](args, entropy)) !== false, output };
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    return { succeeded: false, output };
  }
}

process.on('message', (task: SnarkjsTask) => {
  void perform(task).then((outcome) => process.send?.(outcome));
});
// Its threads would outlive the parent.
process.once('disconnect', () => process.exit(0));
