import { UsageError } from './usage-error.ts';

/** Loads a package that need not be installed. @throws UsageError if it is not; `what` needs it */
export async function fromPackage<T>(what: string, name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
    if (!isMissing || !String(error).includes(`'${name}'`)) throw error;
    throw new UsageError(`${what} needs the package ${name}, which is not installed: npm install ${name}`);
  }
}
