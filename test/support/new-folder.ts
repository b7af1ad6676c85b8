import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes an empty folder, which the run removes with all others (`temporary-folder.ts`). */
export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'credence-'));
