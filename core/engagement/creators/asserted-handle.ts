import { DomainError } from '../../errors.ts';
import { normaliseHandle } from '../../platforms/handle.ts';
import type { PlatformName } from '../../platforms/platform-name.ts';
import type { PlatformRegistry } from '../../platforms/registry.ts';

/**
 * Wider than what the platforms give out today, whose rules change and whose old accounts keep theirs. Never a URL, a path
 * or a sentence.
 */
const SHAPE = /^(?=.*[a-z0-9])[a-z0-9._-]{1,64}$/;

/**
 * Normalises a handle that somebody asserts: of the usual shape, or one that the platform gives out, such as those in other scripts.
 * @throws DomainError `INVALID_REQUEST` when it cannot be one, or is another name of an account
 */
export function assertedHandle(
  platforms: Pick<PlatformRegistry, 'parseHandle'>,
  platform: PlatformName,
  raw: string,
): string {
  const handle = normaliseHandle(raw);
  const known = platforms.parseHandle(platform, raw);
  if (known === null && !SHAPE.test(handle)) {
    throw new DomainError(
      'INVALID_REQUEST',
      'handle must be a handle such as "name" or "@name", not a URL or a text.',
      {
        details: { issues: [{ path: 'body.handle', message: 'must be a handle' }] },
      },
    );
  }
  return handle;
}
