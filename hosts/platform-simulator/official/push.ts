/** Pushes to the receiver of a platform what happens to comments of subscribed accounts, signed and with retries. */
import { createHmac } from 'node:crypto';
import type { CommentAction, WorldComment } from '../comment-thread.ts';
import type { World, WorldPost } from '../world.ts';
import { mediaIdOf, officialIdOf, SIMULATED_APP, scopedIdOf } from './apps.ts';

const ATTEMPTS = 6;
/** The platforms wait for minutes. */
const FIRST_RETRY_MS = 50;
const TIMEOUT_MS = 10_000;

/** Returns what ends it. */
export function startPushing(world: World): () => void {
  const ending = new AbortController();
  const end = world.watch((post, comment, action) => {
    const receiver = world.official.receivers.get(post.platform);
    if (receiver === undefined || !world.official.isSubscribed(post.platform, officialIdOf(post.owner))) return;
    const body = bodyOf(post, comment, action);
    if (body !== null) void deliver(post.platform, receiver.url, body);
  });

  async function deliver(platform: string, url: string, body: object): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS && !ending.signal.aborted; attempt += 1) {
      if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, FIRST_RETRY_MS * 2 ** attempt).unref());
      const text = JSON.stringify(body);
      const headers = { 'content-type': 'application/json', ...signatureOf(platform, text) };
      const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(TIMEOUT_MS)]);
      try {
        const answer = await fetch(url, { method: 'POST', headers, body: text, signal });
        await answer.arrayBuffer();
        world.logRequest({ platform, endpoint: `push-${answer.status}` });
        if (answer.ok) return;
      } catch {
        world.logRequest({ platform, endpoint: 'push-failed' });
      }
    }
  }

  return () => {
    end();
    ending.abort();
  };
}

function signatureOf(platform: string, text: string): Readonly<Record<string, string>> {
  const sign = (signed: string) => createHmac('sha256', SIMULATED_APP.appSecret).update(signed).digest('hex');
  if (platform !== 'tiktok') return { 'x-hub-signature-256': `sha256=${sign(text)}` };
  const seconds = Math.floor(Date.now() / 1_000);
  return { 'tiktok-signature': `t=${seconds},s=${sign(`${seconds}.${text}`)}` };
}

/** Null for what is not pushed: Instagram tells of new comments only. */
function bodyOf(post: WorldPost, comment: WorldComment, action: CommentAction): object | null {
  const seconds = Math.floor(Date.now() / 1_000);
  const { id, parentId, text, handle } = comment;
  const accountId = officialIdOf(post.owner);
  const author = scopedIdOf(post.platform, comment.accountId);
  if (post.platform === 'tiktok') {
    const named = { added: 'insert', removed: 'delete', hidden: 'set_to_hidden', shown: 'set_to_public' }[action];
    const content = {
      comment_id: id,
      video_id: post.contentId,
      ...(parentId === null ? {} : { parent_comment_id: parentId }),
      comment_action: named,
      timestamp: seconds,
      unique_identifier: author,
      text,
    };
    const event = { client_key: SIMULATED_APP.appId, event: 'comment.update', create_time: seconds };
    return { ...event, user_openid: accountId, content: JSON.stringify(content) };
  }
  if (action !== 'added' || post.platform !== 'instagram') return null;
  const value = {
    id,
    text,
    ...(parentId === null ? {} : { parent_id: parentId }),
    from: { id: author, username: handle },
    media: { id: mediaIdOf(post) },
  };
  return { object: 'instagram', entry: [{ id: accountId, time: seconds, changes: [{ field: 'comments', value }] }] };
}

/** Asks the receiver whether it is one, as Instagram does before it pushes to it. */
export async function isReceiver(url: string): Promise<boolean> {
  const challenge = String(Date.now());
  const asked = new URL(url);
  asked.searchParams.set('hub.mode', 'subscribe');
  asked.searchParams.set('hub.verify_token', SIMULATED_APP.verifyToken);
  asked.searchParams.set('hub.challenge', challenge);
  try {
    const answer = await fetch(asked, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return answer.ok && (await answer.text()) === challenge;
  } catch {
    return false;
  }
}
