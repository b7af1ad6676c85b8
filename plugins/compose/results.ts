/** The things that operations return, by name. What a storage keeps of them is in `credence/ports`. */

export type { ListPage } from '../client/types.ts';
export type {
  ApiToken,
  AttemptDetail as Attempt,
  AuditEntry,
  Brand,
  Campaign,
  CampaignDetail,
  CampaignSummary,
  Challenge,
  CommentsRefresh,
  ConnectedAccount,
  CreateCampaignResult as CampaignWithChallenge,
  CreatedApiToken,
  CreatorRow as Creator,
  Participant,
  PersonalData,
  PostDetails as PostStats,
  ProfileLookup,
  RegisterCreatorResult as RegisteredCreator,
  RewardsPreview,
  StoredComment as Comment,
  VerifiedTranscript as VerifiedWebProof,
  Webhook,
  WebhookDelivery as Delivery,
  WebhookDeliveryWithBody,
  WebhookWithSecret,
  WebProof,
} from './api-types.ts';

/**
 * What an operation resolves to: `ResultOf<Credence['campaigns']['summarise']>`. Of a list that is answered by pages only if a `limit`
 * asks for them, it is the whole list.
 */
export type ResultOf<Operation extends (...input: never) => Promise<unknown>> = Awaited<ReturnType<Operation>>;
