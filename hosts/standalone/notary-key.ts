/** The key of a host that serves as a notary. */
import { ContainerModule, provide, TOKENS } from '../../plugins/compose/index.ts';
import { later } from '../../plugins/compose/token.ts';
import { PARTS } from '../../plugins/compose/tokens.ts';

/** Prints the fingerprint of the key when the instance starts: clients of a notary pin it. */
export const printedFingerprint = new ContainerModule((options) => {
  provide(options, PARTS.openedAtStart, { own: later({ key: TOKENS.notaryKey }) }, ({ own }) => async () => {
    console.log(`notary key fingerprint: ${(await own()).key.fingerprint}`);
  });
});
