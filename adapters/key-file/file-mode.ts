/** Who may see a key file. */

export interface KeyFileMode {
  /** Permission bits, as of `stat`. */
  readonly mode: number;
  /** The owner of the file. */
  readonly uid: number;
  /** On a file system that this process cannot write to. */
  readonly isReadOnly: boolean;
}

const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;

/**
 * A key file of one's own is one's own alone. One that somebody else put there, by its owner or as a read-only mount, may be
 * readable by others. Kubernetes (0440, 0644) and Docker (0444) mount secrets so, and this process cannot change that. Nobody but the owner may change it in any case.
 * @returns whether the file may be used by a process of the user `ownUid`
 */
export function isModeAccepted({ mode, uid, isReadOnly }: KeyFileMode, ownUid: number | undefined): boolean {
  if ((mode & OTHERS) === 0) return true;
  if ((mode & OTHERS_WRITE) !== 0) return false;
  return isReadOnly || uid !== (ownUid ?? uid);
}
