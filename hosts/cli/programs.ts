export interface Program {
  readonly description: string;
  readonly load: () => Promise<unknown>;
  /** The optional package that holds it. */
  readonly needs?: string;
}

/** Commands that are programs of their own, with options and help of their own. */
export const PROGRAMS: Readonly<Record<string, Program>> = {
  start: { description: 'starts the standalone host', load: () => import('credence/host/main') },
  simulator: {
    description: 'serves simulated platforms on this machine, to try a host without the real ones',
    load: () => import('@credence/simulator/main'),
    needs: '@credence/simulator',
  },
};

/** The steps of `credence zk ceremony`, in their order. */
export const CEREMONY_STEPS: Readonly<Record<string, string>> = {
  start: 'checks a powers-of-tau file and makes the first keys',
  contribute: 'adds the randomness of one party',
  beacon: 'ends the contributions with a public value',
  verify: 'checks the whole chain of contributions',
  finish: 'verifies, and writes the artifacts and VerifyingKey.sol',
};
