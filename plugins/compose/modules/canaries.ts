/** The drift monitor: canaries are read by jobs of the queue, each once in an interval however many processes there are. */

import { createCanaries } from '../../../core/canaries/index.ts';
import { ContainerModule } from '../container.ts';
import { canaryFigures } from '../figures.ts';
import { provide } from '../token.ts';
import { named, PARTS, TOKENS } from '../tokens.ts';

const READ_EVERY_MS = 15 * 60_000;
/** So that the first reading does not wait for a whole interval after each restart. */
const LOOK_EVERY_MS = 60_000;

export const canariesModule = new ContainerModule((options) => {
  provide(
    options,
    PARTS.canaries,
    named('config', 'storage', 'platforms', 'resolvePost', 'queue', 'relay', 'clock', 'random', 'logger'),
    ({ config: { canaries }, storage, ...deps }) =>
      createCanaries({ ...deps, store: storage.canaries, targets: canaries.targets }),
  );
  provide(options, TOKENS.jobHandlers, named('canaries'), ({ canaries }) => ({
    'read-canary': canaries.run,
  }));
  provide(options, TOKENS.metrics, named('canaries'), canaryFigures);
  provide(options, TOKENS.periodic, named('config', 'canaries'), ({ config, canaries }) => {
    const intervalMs = READ_EVERY_MS * config.delayScale;
    return {
      name: 'read-canaries',
      everyMs: Math.min(intervalMs, LOOK_EVERY_MS),
      // Without canaries no lock is taken: a process that has some may share the storage.
      oncePerMs: config.canaries.targets.length === 0 ? undefined : intervalMs,
      run: canaries.schedule,
    };
  });
});
