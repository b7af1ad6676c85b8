/** One story told through all engagement operations: Acme's campaign, and the creator `user-42` who takes part. */
import type { OperationExamples } from './operation-examples.ts';

const AT = '2026-11-01T09:30:00.000Z';
const LATER = '2026-11-01T09:31:12.000Z';
const POST_URL = 'https://www.instagram.com/p/C8xample123/';
const pagination = { page: 1, limit: 20, total: 1 };
const PROFILE = { followers: 1204, full_name: 'Ada Lovelace', is_verified: false };

const brand = { id: 3, name: 'Acme', slug: 'acme', logoUrl: null, createdAt: AT };
const campaign = {
  id: 5,
  brandId: 3,
  title: 'Spring launch',
  description: null,
  imageUrl: null,
  pointsReward: 50,
  isActive: true,
  startsAt: null,
  endsAt: null,
  createdAt: AT,
};
const challenge = {
  id: 9,
  campaignId: 5,
  platform: 'instagram',
  contentType: 'post',
  contentId: 'C8xample123',
  canonicalUrl: POST_URL,
  instructionText: 'Tell us what you think',
};
const created = { state: 'created', at: AT, reason: 'created' };
const attempt = {
  id: 31,
  userId: 7,
  challengeId: 9,
  state: 'created',
  retryCount: 0,
  maxRetries: 3,
  lastVerificationAt: null,
  verificationDeadline: null,
  stateHistory: [created],
  metadata: { origin: 'request', platformUsername: 'ada.l' },
  createdAt: AT,
  updatedAt: AT,
};
const matchedComment = { commentText: 'Count me in!', commentedAt: AT };
const rewardedAttempt = {
  ...attempt,
  state: 'rewarded',
  lastVerificationAt: LATER,
  verificationDeadline: '2026-11-08T09:30:30.000Z',
  stateHistory: [
    created,
    { state: 'verification_pending', at: '2026-11-01T09:30:30.000Z', reason: 'claimed' },
    { state: 'verified', at: LATER, reason: 'matched a comment' },
    { state: 'rewarded', at: LATER, reason: 'points issued' },
  ],
  updatedAt: LATER,
  matchedComment,
  pointsAwarded: 50,
};
const webhook = {
  id: 3,
  url: 'https://hooks.example.com/credence',
  events: ['creator.verified', 'reward.issued'],
  active: true,
  description: 'Production',
  lastTriggeredAt: null,
  createdAt: AT,
};
const delivery = {
  id: 64,
  messageId: 'msg_2f0c4b6e8a',
  event: 'reward.issued',
  attemptId: 31,
  challengeId: 9,
  status: 'succeeded',
  tries: [{ at: LATER, durationMs: 84, status: 204, error: null }],
  nextTryAt: null,
  createdAt: LATER,
  finishedAt: LATER,
};
const sentBody = {
  event: 'reward.issued',
  timestamp: LATER,
  brandId: 3,
  data: { challengeId: 9, userId: 7, username: 'ada.l', platform: 'instagram', attemptId: 31, points: 100 },
};
const handled = { at: LATER, durationMs: 12, status: null, error: null };
const pendingTest = {
  ...delivery,
  id: 65,
  event: 'webhook.test',
  attemptId: null,
  challengeId: null,
  status: 'pending',
  tries: [],
  nextTryAt: LATER,
  finishedAt: null,
};
const socialAccount = { id: 9, platform: 'instagram', platformUsername: 'ada.l', profileData: PROFILE };
const registration = { user: { id: 7, externalId: 'user-42', email: 'user-42@creators.invalid' }, socialAccount };
const metrics = { likeCount: 912, commentCount: 48, shareCount: 0, viewCount: 15_100, fetchedAt: AT };
const likersFetch = {
  challengeId: 9,
  status: 'queued',
  fetchedCount: 0,
  totalLikes: null,
  errorMessage: null,
  warning: null,
  requestedAt: AT,
  startedAt: null,
  finishedAt: null,
};
const token = {
  id: 2,
  name: 'Mobile app',
  role: 'client',
  externalId: null,
  brandId: null,
  quota: null,
  createdAt: AT,
  revokedAt: null,
};

const auditEntry = {
  id: 12,
  at: AT,
  actor: 'token:2',
  actorName: 'Operations',
  role: 'admin',
  operation: 'updateWebhook',
  target: 'webhook:3',
  outcome: 'succeeded',
  error: null,
  before: { active: true },
  after: { active: false },
  requestId: '3f2b6c1e-8d0a-4c55-9a37-0d5f1f6f6a10',
};

export const ENGAGEMENT_EXAMPLES: OperationExamples = {
  listAuditLog: { responses: { 200: { data: [auditEntry], pagination } } },
  registerCreator: { responses: { 201: { data: registration }, 200: { data: registration } } },
  disconnectCreator: {
    responses: { 200: { data: { id: 9, platform: 'instagram', platformUsername: 'ada.l', disconnectedAt: LATER } } },
  },
  connectSocialAccount: {
    responses: {
      201: {
        data: {
          redirectUrl: 'https://credence.example/connect/9f1c52d7e0ab4c6d8f2e35a7b1906c4d9f1c52d7e0ab4c6d',
          requestId: '9f1c52d7e0ab4c6d8f2e35a7b1906c4d9f1c52d7e0ab4c6d',
          expiresAt: '2026-11-01T10:00:00.000Z',
          webProof: {
            code: 'credence-k7wq3m9xtr',
            header: 'x-credence-code',
            parameter: 'credence_code',
            urls: ['https://www.instagram.com/api/v1/accounts/current_user/?edit=true'],
          },
        },
      },
    },
  },
  listSocialAccounts: {
    responses: {
      200: {
        data: [
          {
            ...socialAccount,
            ownershipProven: true,
            platformAccountId: '787132',
            connectedAt: AT,
            disconnectedAt: null,
          },
        ],
      },
    },
  },
  webProofCallback: {
    request: {
      requestId: '9f1c52d7e0ab4c6d8f2e35a7b1906c4d9f1c52d7e0ab4c6d',
      presentationJson: {
        data: '014000000000000000899cdccd…',
        version: '2.0.0',
        meta: { notaryUrl: 'https://notary.example/v0.1.0-alpha.12' },
      },
    },
    responses: {
      200: {
        data: {
          requestId: '9f1c52d7e0ab4c6d8f2e35a7b1906c4d9f1c52d7e0ab4c6d',
          status: 'connected',
          socialAccount: { id: 9, platform: 'instagram', platformUsername: 'ada.l', ownershipProven: true },
        },
      },
    },
  },
  listCreators: {
    responses: {
      200: {
        data: [
          {
            userId: 7,
            externalId: 'user-42',
            email: 'user-42@creators.invalid',
            displayName: 'Ada Lovelace',
            avatarUrl: null,
            platform: 'instagram',
            platformUsername: 'ada.l',
            connectedAt: AT,
            profileData: PROFILE,
            totalAttempts: 1,
            totalVerified: 1,
            totalRewarded: 1,
            totalPoints: 50,
          },
        ],
      },
    },
  },
  refreshCreatorProfile: { responses: { 200: { data: PROFILE } } },
  isHandleRegistered: { responses: { 200: { data: { verified: true } } } },
  listBrands: { responses: { 200: { data: [brand] } } },
  createBrand: { responses: { 201: { data: brand } } },
  listWebhooks: { responses: { 200: { data: [webhook] } } },
  createWebhook: {
    responses: { 201: { data: { ...webhook, secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=' } } },
  },
  updateWebhook: { responses: { 200: { data: { ...webhook, active: false } } } },
  deleteWebhook: { responses: { 200: { ok: true } } },
  rotateWebhookSecret: {
    responses: {
      200: {
        data: {
          ...webhook,
          secret: 'whsec_ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA=',
          previousSecretExpiresAt: '2026-11-02T09:30:00.000Z',
        },
      },
    },
  },
  getWebhookDelivery: { responses: { 200: { data: { ...delivery, body: JSON.stringify(sentBody) } } } },
  listWebhookDeliveries: { responses: { 200: { data: [delivery], pagination } } },
  listSubscribers: {
    responses: { 200: { data: [{ name: 'points-ledger', events: ['reward.issued'] }] } },
  },
  listSubscriberDeliveries: {
    responses: { 200: { data: [{ ...delivery, subscriber: 'points-ledger', tries: [handled] }], pagination } },
  },
  testWebhook: { responses: { 202: { data: pendingTest } } },
  listCampaigns: { responses: { 200: { data: [campaign], pagination } } },
  getCampaign: {
    responses: {
      200: {
        data: {
          ...campaign,
          challenge,
          myAttempt: { id: 31, state: 'rewarded', retryCount: 0, createdAt: AT, updatedAt: LATER },
        },
      },
    },
  },
  createCampaign: { responses: { 201: { data: { campaign, challenge } } } },
  summariseCampaign: {
    responses: {
      200: {
        data: {
          campaignId: 5,
          totalAttempts: 4,
          byState: {
            created: 1,
            target_opened: 0,
            awaiting_claim: 0,
            verification_pending: 0,
            verified: 0,
            rewarded: 2,
            failed_retryable: 1,
            failed_terminal: 0,
          },
          totalVerified: 2,
          totalRewarded: 2,
          totalPointsIssued: 100,
        },
      },
    },
  },
  listResults: {
    responses: {
      200: {
        data: [
          {
            attemptId: 31,
            userId: 7,
            externalId: 'user-42',
            displayName: 'Ada Lovelace',
            platform: 'instagram',
            platformUsername: 'ada.l',
            state: 'rewarded',
            retryCount: 0,
            pointsAwarded: 50,
            matchedComment,
            verifiedAt: LATER,
            rewardedAt: LATER,
            createdAt: AT,
            updatedAt: LATER,
          },
        ],
        pagination,
      },
    },
  },
  verifyAndReward: { responses: { 200: { data: { matched: 12, verified: 12, rewarded: 12 } } } },
  endCampaign: { responses: { 200: { data: { id: 5, isActive: false, endsAt: LATER } } } },
  deleteCampaign: { responses: { 200: { data: { id: 5 } } } },
  listComments: {
    responses: {
      200: {
        data: [
          {
            id: 1201,
            platformCommentId: '17912345678901234',
            username: 'ada.l',
            authorId: '528817151',
            commentText: 'Count me in!',
            commentedAt: AT,
            createdAt: LATER,
          },
        ],
        pagination,
      },
    },
  },
  refreshComments: {
    responses: {
      200: {
        data: { totalFetched: 2480, sweepStatus: 'swept', historyComplete: true, expectedTotal: 2491, warning: null },
      },
    },
  },
  getMetrics: { responses: { 200: { data: metrics } } },
  refreshMetrics: {
    responses: {
      200: { data: { ...metrics, thumbnailUrl: 'https://cdn.example/C8xample123.jpg' } },
      202: { data: { challengeId: 9, status: 'queued', requestedAt: AT } },
    },
  },
  refreshLikers: { responses: { 202: { data: likersFetch } } },
  getLikersStatus: {
    responses: {
      200: {
        data: {
          ...likersFetch,
          status: 'succeeded',
          fetchedCount: 870,
          totalLikes: 912,
          warning: 'Only 870 of 912 likers could be reached.',
          startedAt: AT,
          finishedAt: LATER,
        },
      },
    },
  },
  listLikers: {
    responses: {
      200: {
        data: [
          {
            id: 88,
            username: 'ada.l',
            fullName: 'Ada Lovelace',
            igUserId: '70000000009',
            isPrivate: false,
            isVerified: false,
            profilePicUrl: 'https://cdn.example/ada.jpg',
            likedPost: true,
            postUrl: POST_URL,
            totalLikes: 912,
          },
        ],
        pagination,
      },
    },
  },
  createAttempt: { responses: { 201: { data: attempt } } },
  getAttempt: { responses: { 200: { data: rewardedAttempt } } },
  getAttemptByHandle: { responses: { 200: { data: rewardedAttempt } } },
  progressAttempt: { responses: { 200: { data: { id: 31, state: 'verification_pending' } } } },
  forceVerify: { responses: { 200: { data: { id: 31, state: 'verified', previousState: 'failed_retryable' } } } },
  redeliverWebhooks: {
    responses: { 200: { data: { attemptId: 31, redelivered: ['creator.verified', 'reward.issued'] } } },
  },
  createToken: { responses: { 201: { data: { ...token, token: 'crd_Zk3vJ0yW8pQ6mX2nB5tR9sL1' } } } },
  listTokens: { responses: { 200: { data: [token] } } },
  revokeToken: { responses: { 200: { data: { ...token, revokedAt: LATER } } } },
};
