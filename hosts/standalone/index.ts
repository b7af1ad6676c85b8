/**
 * The standalone host's own parts (`credence/host`), for the command line: it starts a host, and looks at its settings and its
 * store. Not stable, like `credence/kit`.
 */
export { copyStore } from '../../core/maintenance/copy-store.ts';
export type { CopyableStorage } from '../../core/ports/record-store.ts';
export { OPERATIONS } from '../../plugins/compose/api.ts';
export { resolveConfig } from '../../plugins/compose/config.ts';
export { storageUrl } from '../../plugins/compose/config-values.ts';
export { storageOf } from '../../plugins/compose/modules/storage.ts';
export { packageVersion } from '../../plugins/compose/version.ts';
export {
  describeEnvironment,
  type Environment,
  readEnvironment,
  variableNames,
  variableOf,
  variablesOfPaths,
} from './environment.ts';
export { hostConfig } from './host-config.ts';
export { explainFailure, namingVariable } from './start-failure.ts';
export { warnAboutUnknownVariables } from './unknown-variables.ts';
