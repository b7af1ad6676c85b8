/** Files that a command keeps or writes: one that the system refuses is a wrong call. */
import { fileAdvice } from '../../adapters/file-system/index.ts';
import { UsageError } from './usage-error.ts';

/** Does work on a file. @throws UsageError that names the file and says what to do, if the system refuses it */
export async function onFile<T>(
  file: string,
  verb: 'read' | 'written',
  work: () => Promise<T>,
  hint?: string,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === undefined || syscall === undefined) throw error;
    const advice = `${fileAdvice(code)}${hint === undefined ? '' : ` ${hint}`}`;
    throw new UsageError(`${file} cannot be ${verb} (${code}).${advice}`);
  }
}
