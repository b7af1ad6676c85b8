/** What the examples of several operations and schemas show: one story, so that a reader finds its ids again. */
export const PLATFORM = 'instagram';
export const POST_URL = 'https://www.instagram.com/p/C8xample123/';
export const TIME = '2026-11-01T09:30:00.000Z';
export const PROFILE = { followers: 1204, full_name: 'Ada Lovelace', is_verified: false };
export const BRAND = { id: 3, name: 'Acme', slug: 'acme', logoUrl: null, createdAt: TIME };
export const WEBHOOK = {
  id: 3,
  url: 'https://hooks.example.com/credence',
  events: ['creator.verified', 'reward.issued'],
  active: true,
  description: 'Production',
  lastTriggeredAt: null,
  createdAt: TIME,
};
export const HEALTH = {
  successRate: 0.97,
  succeeded: 96,
  failed: 2,
  retrying: 1,
  lastFailure: { at: TIME, status: 503, error: 'The receiver answered 503.' },
};
export const SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
export const ACCOUNT = {
  id: 9,
  platform: PLATFORM,
  platformUsername: 'ada.l',
  profileData: PROFILE,
};
export const REGISTRATION = {
  user: { id: 7, externalId: 'user-42', email: 'user-42@creators.invalid' },
  socialAccount: ACCOUNT,
};
export const METRICS = {
  likeCount: 912,
  commentCount: 48,
  shareCount: 0,
  viewCount: 15_100,
  fetchedAt: TIME,
};
export const REFRESH = {
  totalFetched: 2480,
  sweepStatus: 'swept',
  historyComplete: true,
  expectedTotal: 2491,
  warning: null,
};
