/** What TikTok pushes: comments as they are written, deleted, hidden and shown again. */
import { normaliseHandle } from '../../../core/platforms/handle.ts';
import type { OfficialPush, PushedChange } from '../../../core/ports/official-api.ts';
import { changesOf, isSigned, readPushTime, readPushTree } from '../../official/index.ts';
import { asDigits, asText, field, isObject, type JsonObject, parseJson } from '../../scraping/index.ts';
import type { OfficialTikTokSettings } from './options.ts';

const REPLAY_SECONDS = 300;
const ACTIONS: Readonly<Record<string, PushedChange['action']>> = {
  insert: 'added',
  delete: 'removed',
  set_to_hidden: 'hidden',
  set_to_friends_only: 'hidden',
  set_to_public: 'shown',
};

type Settings = Pick<OfficialTikTokSettings, 'appId' | 'appSecret'>;

export function createPush({ appId, appSecret }: Settings): Omit<OfficialPush, 'subscribe'> {
  return {
    isAuthentic({ body, headers, now }) {
      const [, time, hex] = /^t=(\d{1,12}),\s?s=(\w+)$/.exec(headers['tiktok-signature'] ?? '') ?? [];
      if (time === undefined || Math.abs(now.getTime() / 1_000 - Number(time)) > REPLAY_SECONDS) return false;
      return isSigned(appSecret, hex, `${time}.`, body);
    },

    read(body) {
      const tree = readPushTree(body);
      return changesOf(tree.event === 'comment.update' ? [tree] : [], (event) => readChange(event, appId));
    },
  };
}

/** The content is an object, or the text of one. */
function readChange(event: JsonObject, appId: string): PushedChange | null {
  const content = typeof event.content === 'string' ? parseJson(event.content) : event.content;
  if (!isObject(content)) return null;
  const accountId = event.user_openid === undefined ? null : asText(event.user_openid, 200) || undefined;
  const commentId = asDigits(content.comment_id);
  const postApiId = asDigits(content.video_id);
  const parent = asDigits(content.parent_comment_id ?? '0');
  const named = asText(content.comment_action, 50) ?? '';
  const action = Object.hasOwn(ACTIONS, named) ? ACTIONS[named] : undefined;
  const at = readPushTime(content.timestamp) ?? readPushTime(event.create_time);
  const text = asText(content.text ?? '');
  const scopedId = asText(content.unique_identifier ?? '', 200);
  const handle = asText(field(content, 'username') ?? '', 100);
  if (accountId === undefined || commentId === null || postApiId === null || action === undefined || at === null) {
    return null;
  }
  if (parent === null || text === null || scopedId === null || handle === null) return null;
  return {
    accountId,
    postApiId,
    commentId,
    action,
    at,
    parentId: parent === '0' ? null : parent,
    handle: normaliseHandle(handle),
    scopedAuthorId: scopedId === '' ? null : `${appId}/${scopedId}`,
    text,
  };
}
