/** Commands that are programs of their own, with options and help of their own. */
export const PROGRAMS: Readonly<
  Record<string, { readonly description: string; readonly load: () => Promise<unknown> }>
> = {
  start: { description: 'starts the standalone host', load: () => import('credence/host/main') },
};

/** The steps of `credence zk ceremony`, in their order. */
export const CEREMONY_STEPS: Readonly<Record<string, string>> = {
  start: 'checks a powers-of-tau file and makes the first keys',
  contribute: 'adds the randomness of one party',
  beacon: 'ends the contributions with a public value',
  verify: 'checks the whole chain of contributions',
  finish: 'verifies, and writes the artifacts and VerifyingKey.sol',
};
