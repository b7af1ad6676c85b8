import { importFailure, MissingPackageError } from '../../adapters/package-loader/index.ts';
import { UsageError } from './usage-error.ts';

/** Loads a package that need not be installed. @throws UsageError if it is not; `what` needs it */
export async function fromPackage<T>(what: string, name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const failure = importFailure(error, name, what);
    throw failure instanceof MissingPackageError ? new UsageError(failure.message) : failure;
  }
}
