/** The key of a host that serves as a notary. */
import { ContainerModule, provide, TOKENS } from '../../plugins/compose/index.ts';
import { PARTS } from '../../plugins/compose/tokens.ts';

/** Prints the fingerprint of the key when the instance starts: clients of a notary pin it. */
export const printedFingerprint = new ContainerModule((options) => {
  provide(options, PARTS.openedAtStart, { resolve: PARTS.resolve }, ({ resolve }) => async () => {
    console.log(`notary key fingerprint: ${(await resolve(TOKENS.notaryKey)).fingerprint}`);
  });
});
