/** What it costs to check a journal on chain, before anybody pays for it. */

export interface VerificationCost {
  /** Gas of a transaction that calls `verify` of the verifier contract, within a few percent. */
  readonly verificationGas: number;
  /** What may keep the seal from being used; empty for journals of ordinary size. */
  readonly warnings: readonly string[];
}

/** More gas than this is worth a warning: three times the gas of an ordinary journal. */
const MUCH_GAS = 1_000_000;
/** Ethereum's nodes relay no larger transaction. */
const MOST_TRANSACTION_BYTES = 128 * 1024;

// Measured with the contract on an EVM of the Prague version; docs: adapters/groth16-prover/README.md.
const BASE_GAS = 239_500;
const GAS_PER_VALUE = 8_930;
const GAS_PER_JOURNAL_BYTE = 17.72;
const GAS_PER_QUERY_BYTE = 98.7;
/** EIP-7623: a transaction costs at least this for each token of its data; a byte is four tokens, a zero one. */
const TRANSACTION_GAS = 21_000;
const LEAST_GAS_PER_TOKEN = 10;
const TOKENS_PER_BYTE = 4;
/** Of the seal's own parts. */
const SEAL_TOKENS = 2_500;
const SEAL_BYTES = 840;
const SEAL_BYTES_PER_QUERY = 96;

/** Estimates the cost of a journal with the values of `queries`. */
export function verificationCost(journal: Uint8Array, queries: readonly string[]): VerificationCost {
  const queryBytes = queries.reduce((sum, query) => sum + new TextEncoder().encode(query).length, 0);
  const execution =
    BASE_GAS + GAS_PER_VALUE * queries.length + GAS_PER_JOURNAL_BYTE * journal.length + GAS_PER_QUERY_BYTE * queryBytes;
  const zeros = journal.reduce((sum, byte) => (byte === 0 ? sum + 1 : sum), 0);
  const tokens = TOKENS_PER_BYTE * (journal.length - zeros + queryBytes) + zeros + SEAL_TOKENS;
  const verificationGas = Math.round(Math.max(execution, TRANSACTION_GAS + LEAST_GAS_PER_TOKEN * tokens));
  const transactionBytes = SEAL_BYTES + SEAL_BYTES_PER_QUERY * queries.length + queryBytes + journal.length;
  const warnings: string[] = [];
  if (verificationGas > MUCH_GAS) {
    warnings.push(
      `Checking this seal on chain costs about ${verificationGas} gas. Query smaller values, or use shorter queries.`,
    );
  }
  if (transactionBytes > MOST_TRANSACTION_BYTES) {
    warnings.push(
      `The seal has about ${transactionBytes} bytes. Ethereum nodes relay no transaction above ${MOST_TRANSACTION_BYTES}.`,
    );
  }
  return { verificationGas, warnings };
}
