/** What Instagram pushes: comments as they are written. It does not push that one was deleted or hidden. */
import { normaliseHandle } from '../../../core/platforms/handle.ts';
import type { OfficialPush, PushedChange } from '../../../core/ports/official-api.ts';
import { equalText } from '../../../core/security/constant-time.ts';
import { changesOf, isSigned, readPushTime, readPushTree } from '../../official/index.ts';
import { asDigits, asText, field } from '../../scraping/index.ts';
import type { OfficialInstagramSettings } from './options.ts';

type Settings = Pick<OfficialInstagramSettings, 'appId' | 'appSecret' | 'verifyToken'>;

export function createPush({ appId, appSecret, verifyToken }: Settings): Omit<OfficialPush, 'subscribe'> {
  return {
    answer(query) {
      const challenge = query['hub.challenge'] ?? '';
      const isMeant = query['hub.mode'] === 'subscribe' && equalText(query['hub.verify_token'] ?? '', verifyToken);
      return isMeant && /^[\w.-]{1,200}$/.test(challenge) ? challenge : null;
    },

    isAuthentic({ body, headers }) {
      const hex = /^sha256=(\w+)$/.exec(headers['x-hub-signature-256'] ?? '')?.[1];
      return isSigned(appSecret, hex, body);
    },

    read(body) {
      const tree = readPushTree(body);
      const entries = tree.object === 'instagram' && Array.isArray(tree.entry) ? tree.entry : [];
      const comments = entries.flatMap((entry: unknown) => {
        const changes = field(entry, 'changes');
        if (!Array.isArray(changes)) return [];
        return changes.filter((change) => field(change, 'field') === 'comments').map((change) => ({ entry, change }));
      });
      return changesOf(comments, ({ entry, change }) => readChange(entry, field(change, 'value'), appId));
    },
  };
}

function readChange(entry: unknown, value: unknown, appId: string): PushedChange | null {
  const accountId = asDigits(field(entry, 'id'));
  const at = readPushTime(field(entry, 'time'));
  const commentId = asDigits(field(value, 'id'));
  // An advertisement shows a post under an id of its own.
  const postApiId = asDigits(field(value, 'media', 'original_media_id')) ?? asDigits(field(value, 'media', 'id'));
  const parentId = field(value, 'parent_id') === undefined ? null : asDigits(field(value, 'parent_id'));
  const text = asText(field(value, 'text') ?? '');
  const number = asDigits(field(value, 'from', 'id'));
  const username = asText(field(value, 'from', 'username') ?? '', 100);
  const isParentLost = parentId === null && field(value, 'parent_id') !== undefined;
  if (accountId === null || at === null || commentId === null || postApiId === null || isParentLost) return null;
  if (text === null || username === null) return null;
  return {
    accountId,
    postApiId,
    commentId,
    action: 'added',
    at,
    parentId,
    handle: normaliseHandle(username),
    scopedAuthorId: number === null ? null : `${appId}/${number}`,
    text,
  };
}
