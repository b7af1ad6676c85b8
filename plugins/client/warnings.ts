/** Warnings of answers: a call succeeded, and something in it is probably not what its caller meant. */
import { fieldsOf } from './answer.ts';

/** What an answer warns of. */
export interface Warning {
  /** Group and name of the operation: `proofs.prove`. */
  readonly operation: string;
  /** A sentence for people. */
  readonly message: string;
}

/** The warnings of an answer, wherever it has them: beside `data`, in it, with a web proof or with a seal. */
export function warningsOf(answer: unknown): readonly string[] {
  const { data, warning } = fieldsOf(answer);
  const inner = fieldsOf(data);
  return [warning, inner.warning, fieldsOf(inner.meta).warnings, fieldsOf(inner.details).warnings]
    .flat()
    .filter((text) => typeof text === 'string');
}
