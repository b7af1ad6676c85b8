/** Groth16 over BN254: the real prover. Offline; snarkjs runs in a process of its own. */
import { resolve } from 'node:path';
import { checkOptions, DomainError, LONGEST_TIMER_MS, type ZkProver, type ZkProverAdapter } from 'credence/kit';
import { z } from 'zod';
import { type Artifacts, bundledArtifacts, loadArtifacts, readManifest, unlistedFile } from './artifacts.ts';
import { CIRCUIT_SIZES, sizeFor } from './circuit-sizes.ts';
import { ProvingWorker } from './proving-worker.ts';
import { publicInputs, witnessInput } from './witness-input.ts';

/** Checks `Groth16ProverOptions` and fills in the defaults. */
export const groth16ProverOptionsSchema = z.strictObject({
  /** Directory with proving keys, witness programs, verifying keys and manifest; the bundled development keys by default. */
  artifacts: z.string().default(bundledArtifacts),
  /** Refuse a key whose ceremony was the development one; when `NODE_ENV` is `production`, unless told. */
  production: z.boolean().optional(),
  /** Guest id of a development key that is to be used in production all the same. */
  allowDevelopmentKey: z.string().optional(),
  /** Of one proof. Seconds on a machine at rest; many times that on one at work. @default 120_000 */
  timeoutMs: z.int().positive().max(LONGEST_TIMER_MS).default(120_000),
  /** Proofs that may wait for their turn, a quarter of them of one caller. @default 64 */
  maxQueued: z.int().nonnegative().default(64),
  /** A proof that waits longer for its turn is refused. Long enough for one proof of another caller on a machine at work. @default 60_000 */
  maxWaitMs: z.int().positive().max(LONGEST_TIMER_MS).default(60_000),
  /** Loads the keys and the process at start, so that the first proof takes no longer than later ones. @default true */
  warmUp: z.boolean().default(true),
});

/** What `createGroth16Prover` takes. */
export type Groth16ProverOptions = z.input<typeof groth16ProverOptionsSchema>;

/**
 * A prover with the artifacts of one ceremony. They are read and checked at the first use (`guestId` or `prove`). With
 * `production`, `prove` refuses the development key, which anyone can forge with. `guestId` names it all the same, since
 * mock seals and contracts under test go by it.
 * @throws ZodError that names the option
 */
export function createGroth16Prover(options: Groth16ProverOptions = {}): ZkProver {
  const settings = groth16ProverOptionsSchema.parse(options);
  const worker = new ProvingWorker(settings);
  let loading: Promise<Artifacts> | undefined;

  const artifacts = (): Promise<Artifacts> => {
    loading ??= loadArtifacts(resolve(settings.artifacts));
    return loading.catch((cause: unknown) => {
      loading = undefined;
      throw new DomainError('PROOF_GENERATION_FAILED', 'The proving key could not be loaded.', { cause });
    });
  };

  return {
    async guestId() {
      return (await artifacts()).manifest.guestId;
    },

    async prove(statement, signal, caller) {
      // With it comes the Ethereum library: before a proof is made in vain.
      const { encodeSeal } = await import('./seal.ts');
      const { manifest, paths } = await artifacts();
      refuseDevelopmentKey(manifest, settings);
      const opened = await statement.attestation();
      const task = { circuit: paths(sizeFor(statement.queries.length)), input: witnessInput(statement, opened) };
      const { proof, publicSignals } = await worker.prove(task, signal, caller);
      // What the contract will recompute; a difference means that circuit and code have drifted apart.
      const expected = publicInputs(statement, opened).map(String);
      if (publicSignals.length !== expected.length || publicSignals.some((signal, i) => signal !== expected[i])) {
        throw new DomainError('PROOF_GENERATION_FAILED', 'The proof is not about the values of the journal.');
      }
      return encodeSeal(manifest.guestId, proof, statement, opened);
    },

    async warmUp() {
      const { manifest, paths } = await artifacts();
      // One that will refuse to prove needs no process.
      if (stateOf(manifest, settings) !== 'refused') await worker.load(CIRCUIT_SIZES.map(paths));
    },

    close: () => worker.close(),
  };
}

type KeyPolicy = Pick<z.output<typeof groth16ProverOptionsSchema>, 'production' | 'allowDevelopmentKey'>;

/**
 * What an operator should know about the key before the first request meets it; null when there is nothing to say. Reads
 * the manifest only.
 */
export async function warningAboutKey(options: Groth16ProverOptions = {}): Promise<string | null> {
  const settings = groth16ProverOptionsSchema.parse(options);
  const folder = resolve(settings.artifacts);
  const manifest = await readManifest(folder).catch(reasonOf);
  if (typeof manifest === 'string') {
    const advice =
      options.artifacts === undefined
        ? 'Install the package @credence/groth16 again.'
        : 'Set ZK_ARTIFACTS_DIR (`zk.artifacts`) to the folder that a ceremony wrote.';
    return `The proving key in ${folder} could not be read (${manifest}): proofs are not compressed until it can. ${advice}`;
  }
  if (unlistedFile(manifest) !== null) {
    return (
      'The artifacts of ZK_ARTIFACTS_DIR are those of another version: proofs are not compressed. Run a ceremony for this ' +
      'version (npm run zk:ceremony), and deploy the contract with its keys.'
    );
  }
  const state = stateOf(manifest, settings);
  if (state === 'sound') return null;
  return state === 'allowed'
    ? `The development proving key ${manifest.guestId} is in use: anyone can forge the proofs that it seals.`
    : `The proving key ${manifest.guestId} is the development one: compressing proofs will be refused. Run a real ` +
        'ceremony (npm run zk:ceremony) and point ZK_ARTIFACTS_DIR at its result.';
}

/** The code of the system, or that the file is malformed. */
function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'it is malformed';
}

/** Whether a key may be used: anyone can forge with the one of the development ceremony. */
function stateOf(
  { ceremony, guestId }: Artifacts['manifest'],
  { production = process.env.NODE_ENV === 'production', allowDevelopmentKey }: KeyPolicy,
): 'sound' | 'allowed' | 'refused' {
  if (!production || ceremony !== 'development') return 'sound';
  return allowDevelopmentKey?.toLowerCase() === guestId ? 'allowed' : 'refused';
}

function refuseDevelopmentKey(manifest: Artifacts['manifest'], settings: KeyPolicy): void {
  if (stateOf(manifest, settings) !== 'refused') return;
  throw new DomainError(
    'PROOF_GENERATION_FAILED',
    `The proving key ${manifest.guestId} comes from the development ceremony: anyone can forge proofs for it. ` +
      'Run a real ceremony (npm run zk:ceremony) and point ZK_ARTIFACTS_DIR at its result, or allow this key explicitly ' +
      'by its guest id (`zk.allowDevelopmentKey`).',
    { details: { guestId: manifest.guestId } },
  );
}

/**
 * The real prover as a value: `createCredence({ zkProver: groth16({ artifacts: './ceremony' }) })`.
 * @throws ConfigurationError naming every unusable option
 */
export function groth16(options: Groth16ProverOptions = {}): ZkProverAdapter {
  const settings = checkOptions('groth16', groth16ProverOptionsSchema, options);
  return {
    create() {
      const { warmUp, ...prover } = createGroth16Prover(options);
      return settings.warmUp ? { ...prover, warmUp } : prover;
    },
    warning: () => warningAboutKey(options),
  };
}
