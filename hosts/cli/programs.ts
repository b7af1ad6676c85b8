/** Commands that are programs of their own, with options and help of their own. */
export const PROGRAMS: Readonly<
  Record<string, { readonly description: string; readonly load: () => Promise<unknown> }>
> = {
  start: { description: 'starts the standalone host', load: () => import('../standalone/main.ts') },
  notary: { description: 'starts a notary for other instances', load: () => import('../notary/main.ts') },
  simulator: { description: 'starts simulated platforms', load: () => import('../platform-simulator/main.ts') },
};
