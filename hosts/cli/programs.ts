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
