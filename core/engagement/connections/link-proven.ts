/** Linking an account whose owner has shown that it is theirs. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { LinkInput } from '../../ports/creator-store.ts';
import type { LinkedCreator, SocialAccount } from '../creators/creator.ts';
import { placeholderEmail } from '../creators/placeholder-email.ts';
import type { Needs } from '../use-case-parts.ts';
import type { ConnectionMethod, EventEntry } from '../webhooks/outbox.ts';
import type { ConnectionRequest } from './connection.ts';

type Proven = Pick<LinkInput, 'handle' | 'displayName' | 'profileData' | 'now'> & {
  readonly platformAccountId: string;
};

/** Links the account that a request was made for, and announces it (`account.connected`) in the very write that makes the link proven. */
export async function linkProven(
  { storage, relay }: Needs<'creators', 'relay'>,
  request: ConnectionRequest,
  method: ConnectionMethod,
  proven: Proven,
): Promise<SocialAccount> {
  const { id: requestId, externalId, platform } = request;
  const { account } = await storage.creators.link({
    externalId,
    requestId,
    email: placeholderEmail(externalId),
    platform,
    ownershipProven: true,
    announce: (linked) => connectedEvent(linked, requestId, method, proven),
    ...proven,
  });
  void relay.nudge();
  return account;
}

/**
 * The id of the event follows from the request and the account, so that a call that is repeated after a crash announces nothing twice.
 * Not from the request's own id: message ids are in logs, and who knows that id sees the page of the request.
 */
function connectedEvent(
  { creator, account }: LinkedCreator,
  requestId: string,
  method: ConnectionMethod,
  { platformAccountId, now }: Proven,
): EventEntry {
  return {
    id: `account_${account.id}_${bytesToHex(sha256(utf8ToBytes(requestId)).slice(0, 16))}`,
    kind: 'event',
    event: {
      event: 'account.connected',
      timestamp: now,
      brandId: null,
      data: {
        userId: creator.id,
        externalUserId: creator.externalId,
        username: account.platformUsername,
        platform: account.platform,
        socialAccountId: account.id,
        platformAccountId,
        method,
        requestId,
      },
    },
  };
}
