import { createGroth16Prover } from '../../adapters/groth16-prover/index.ts';
import type { ZkProver } from '../../core/ports/zk-prover.ts';
import { ContainerModule, TOKENS } from '../../plugins/compose/index.ts';

const PATIENCE_MS = 240_000;

/** The real prover, with time for a machine that is busy with other tests. */
export const createPatientProver = () => createGroth16Prover({ timeoutMs: PATIENCE_MS, maxWaitMs: PATIENCE_MS });

/** Makes an instance use this prover. Instances may share one: each prover loads the proving keys into a process of its own. */
export const provingWith = (prover: ZkProver) =>
  new ContainerModule(({ rebind }) => void rebind(TOKENS.zkProver).toConstantValue(prover));
