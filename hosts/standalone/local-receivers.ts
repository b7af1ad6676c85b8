/** Webhook receivers on the machine of a host that only this machine reaches: a developer's, most of all. */
import type { EgressGuard } from '../../core/ports/egress.ts';
import { ContainerModule, provide, TOKENS } from '../../plugins/compose/index.ts';
import { PARTS } from '../../plugins/compose/tokens.ts';

/** The names alone: another name that leads here may be a stranger's. */
const LOOPBACK: Readonly<Record<string, { readonly address: string; readonly family: 4 | 6 }>> = {
  '127.0.0.1': { address: '127.0.0.1', family: 4 },
  localhost: { address: '127.0.0.1', family: 4 },
  '[::1]': { address: '::1', family: 6 },
  '::1': { address: '::1', family: 6 },
};
const LEAST_PORT = 1_024;

/** Admins may register them without EGRESS_ALLOW. A brand's URLs are checked as elsewhere. */
export const localReceivers = new ContainerModule(({ rebind }) => {
  provide(
    { bind: rebind },
    TOKENS.webhookEgressGuard,
    { guard: PARTS.brandEgressGuard },
    ({ guard }) =>
      ({
        resolve: async (hostname, port, signal) => {
          const here = Object.hasOwn(LOOPBACK, hostname) ? LOOPBACK[hostname] : undefined;
          return here !== undefined && port >= LEAST_PORT ? [here] : guard.resolve(hostname, port, signal);
        },
        checkPort: (port) => guard.checkPort(port),
      }) satisfies EgressGuard,
  );
});
