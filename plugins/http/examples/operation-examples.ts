/** Example bodies of one operation; those of a request may be in the schema of the body instead. */
export interface OperationExample {
  readonly request?: unknown;
  /** By status. */
  readonly responses?: Readonly<Record<number, unknown>>;
}

/** By `operationId`. */
export type OperationExamples = Readonly<Record<string, OperationExample>>;
