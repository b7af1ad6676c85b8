/** What of TikTok shows that somebody controls a profile. */
import { HANDLE, type OwnershipRules } from '../../core/platforms/ownership-rules.ts';

const HOSTS = ['www.tiktok.com', 'tiktok.com'] as const;

export const tiktokOwnership: OwnershipRules = {
  headers: ['tt-csrf-token', 'x-secsdk-csrf-token', 'x-tt-passport-csrf-token'],
  profiles: [
    {
      hosts: HOSTS,
      path: `/@${HANDLE}`,
      query: { lang: /^[a-z]{2}(?:-[a-z]{2,4})?$/i },
      script: { type: 'application/json', id: '__UNIVERSAL_DATA_FOR_REHYDRATION__' },
      profile: {
        at: ['__DEFAULT_SCOPE__', 'webapp.user-detail', 'userInfo', 'user'],
        handle: 'uniqueId',
        accountId: ['id'],
        bio: 'signature',
      },
    },
  ],
  ownAccount: [
    {
      hosts: HOSTS,
      path: '/passport/web/account/info',
      query: { aid: /^\d{1,6}$/, language: /^[a-z]{2}(?:-[a-z]{2,4})?$/i, account_sdk_source: /^web$/ },
      profile: { at: ['data'], handle: 'username', accountId: ['user_id_str', 'user_id'] },
      url: 'https://www.tiktok.com/passport/web/account/info/?aid=1459',
    },
  ],
};
