/** Stands for rapidsnark in tests: the same command line, proved by snarkjs. */
import { writeFileSync } from 'node:fs';
import { groth16 } from 'snarkjs';

const [key = '', witness = '', proofPath = '', publicPath = ''] = process.argv.slice(2);
const file = (fileName: string) => ({ type: 'file', fileName }) as const;
const { proof, publicSignals } = await groth16.prove(file(key), file(witness));
writeFileSync(proofPath, JSON.stringify({ ...proof, protocol: 'groth16' }));
writeFileSync(publicPath, JSON.stringify(publicSignals));
// The threads of snarkjs keep a process alive.
process.exit(0);
