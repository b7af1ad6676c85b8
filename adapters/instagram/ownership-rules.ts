/** What of Instagram shows that somebody controls a profile. */
import { EACH, HANDLE, type OwnershipRules } from '../../core/platforms/ownership-rules.ts';

const HOSTS = ['www.instagram.com', 'i.instagram.com', 'instagram.com'] as const;

export const instagramOwnership: OwnershipRules = {
  headers: [
    'x-asbd-id',
    'x-csrftoken',
    'x-ig-app-id',
    'x-ig-max-touch-points',
    'x-ig-www-claim',
    'x-instagram-ajax',
    'x-web-device-id',
    'x-web-session-id',
  ],
  profiles: [
    {
      hosts: HOSTS,
      path: '/api/v1/users/web_profile_info',
      query: { username: HANDLE },
      profile: { at: ['data', 'user'], handle: 'username', accountId: ['id'], bio: 'biography' },
    },
    {
      hosts: ['www.instagram.com', 'instagram.com'],
      path: `/${HANDLE}`,
      query: { hl: /^[a-z]{2}(?:-[a-z]{2})?$/i },
      script: { type: 'application/json', 'data-sjs': '' },
      profile: {
        at: [
          'require',
          EACH,
          3,
          EACH,
          '__bbox',
          'require',
          EACH,
          3,
          EACH,
          '__bbox',
          'result',
          'data',
          'xig_user_by_username',
        ],
        handle: 'username',
        // Not `id`, which is the account's number at Facebook.
        accountId: ['pk'],
        bio: 'biography',
      },
    },
  ],
  ownAccount: [
    {
      hosts: HOSTS,
      path: '/api/v1/accounts/current_user',
      query: { edit: /^true$/ },
      profile: { at: ['user'], handle: 'username', accountId: ['pk', 'pk_id'] },
      url: 'https://www.instagram.com/api/v1/accounts/current_user/?edit=true',
    },
    {
      hosts: HOSTS,
      path: '/api/v1/accounts/edit/web_form_data',
      query: {},
      profile: { at: ['form_data'], handle: 'username', accountId: [] },
      url: 'https://www.instagram.com/api/v1/accounts/edit/web_form_data/',
    },
  ],
};
