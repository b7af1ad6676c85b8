/** The list of trusted notaries in a JSON file that may be edited while the process runs. */
import { statSync } from 'node:fs';
import { z } from 'zod';
import { parseJson } from '../../core/json-reader.ts';
import { plainIssue } from '../../core/plain-issue.ts';
import type { Logger } from '../../core/ports/logger.ts';
import {
  createTrustedNotaries,
  type TrustedNotaries,
  type TrustedNotary,
  trustedNotariesSchema,
} from '../../core/web-proof/trusted-notaries.ts';
import { readRegularFile } from '../file-system/index.ts';

/** A path to a list that can be used now: what is wrong with it is reported like a mistake in the list itself. */
export const trustedNotariesFile = z
  .string()
  .min(1)
  .superRefine((path, context) => {
    try {
      readList(path);
    } catch (error) {
      if (!(error instanceof z.ZodError)) context.addIssue(reasonOf(error));
      else
        for (const issue of error.issues) {
          context.addIssue({ code: 'custom', message: plainIssue(issue), path: issue.path });
        }
    }
  });

/** What `createTrustedNotariesFile` takes. */
export interface TrustedNotariesFileOptions {
  /** The JSON file with the list. */
  readonly path: string;
  /** Is told of changes and of lists that cannot be used. */
  readonly logger: Logger;
}

/**
 * Answers from the file as it is now: each question costs one `stat`, and a changed file is read again first. If the file is
 * missing, half written or malformed, the last good list stays in force, and an error is logged once for each change.
 * An empty list (`[]`) is a good one and trusts nobody.
 * @throws Error if the file cannot be used at the start.
 */
export function createTrustedNotariesFile({ path, logger }: TrustedNotariesFileOptions): TrustedNotaries {
  let stamp = stampOf(path);
  let current = createTrustedNotaries(readList(path));

  function refresh(): void {
    // Taken before the content: a change in between shows at the next question.
    const now = stampOf(path);
    if (now === stamp) return;
    stamp = now;
    try {
      const list = readList(path);
      current = createTrustedNotaries(list);
      logger.info({ path, entries: list.length }, 'The list of trusted notaries changed and was read again.');
    } catch (error) {
      logger.error(
        { path, reason: reasonOf(error) },
        'The list of trusted notaries changed and cannot be used: the last good one stays in force. Fix the file.',
      );
    }
  }

  return {
    isTrusted(fingerprint, time) {
      refresh();
      return current.isTrusted(fingerprint, time);
    },
  };
}

/** Differs when the file was written to or replaced, also through a symbolic link. */
function stampOf(path: string): string {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(':');
  } catch (error) {
    return reasonOf(error);
  }
}

function readList(path: string): TrustedNotary[] {
  return trustedNotariesSchema.parse(parseJson(readRegularFile(path)));
}

/** Names entries and system errors, never the content. */
function reasonOf(error: unknown): string {
  if (error instanceof z.ZodError) {
    const [issue] = error.issues;
    if (issue === undefined) return 'malformed';
    return issue.path.length === 0 ? plainIssue(issue) : `${issue.path.join('.')}: ${plainIssue(issue)}`;
  }
  if (error instanceof SyntaxError) return 'the file is not JSON';
  const { code } = error as NodeJS.ErrnoException;
  return `the file cannot be read (${code ?? 'unknown'})`;
}
