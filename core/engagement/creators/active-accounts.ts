import type { SocialAccount } from './creator.ts';

/** Those that are not disconnected, the most recently connected first. */
export function activeAccounts(accounts: readonly SocialAccount[]): readonly SocialAccount[] {
  return accounts
    .filter(({ disconnectedAt }) => disconnectedAt === null)
    .sort((a, b) => b.connectedAt.getTime() - a.connectedAt.getTime() || b.id - a.id);
}
