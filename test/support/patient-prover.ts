import { createGroth16Prover } from '../../adapters/groth16-prover/index.ts';
import { ContainerModule, TOKENS } from '../../plugins/compose/index.ts';

const PATIENCE_MS = 240_000;

/** The real prover, with time for a machine that is busy with other tests. */
export const createPatientProver = () => createGroth16Prover({ timeoutMs: PATIENCE_MS, maxWaitMs: PATIENCE_MS });

/** Makes an instance use it. */
export const patientProver = new ContainerModule(({ rebind }) => {
  rebind(TOKENS.zkProver).toConstantValue(createPatientProver());
});
