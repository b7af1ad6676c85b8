/** One campaign: how far its participants are, what is known of its post, and what can be done with it. */

import type { CampaignDetail } from '@credence/client';
import { Anchor, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { ActionButton, useAction } from '../parts/action.tsx';
import { useBrandName } from '../parts/brands.tsx';
import { campaignState } from '../parts/campaign-state.ts';
import { Facts } from '../parts/facts.tsx';
import { number, Time } from '../parts/format.tsx';
import { Answered, Page, Section } from '../parts/page.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { useSession } from '../session.tsx';
import { PostData } from './campaign/post-data.tsx';
import { CampaignProgress } from './campaign/progress.tsx';
import { ResultsButton } from './campaign/results-button.tsx';

export default function CampaignPage({ id = '' }: { readonly id?: string }) {
  const { client } = useSession();
  const campaign = useQuery({
    queryKey: ['campaign', id],
    queryFn: ({ signal }) => client.campaigns.get({ id: Number(id) }, { signal }),
  });
  return (
    <Page
      title={campaign.data?.title ?? 'Campaign'}
      above={{ to: '/campaigns', label: 'Campaigns' }}
      actions={campaign.data && <Actions campaign={campaign.data} />}
    >
      <Answered query={campaign}>{(data) => <Content campaign={data} />}</Answered>
    </Page>
  );
}

function Content({ campaign }: { readonly campaign: CampaignDetail }) {
  const { caller } = useSession();
  const brandName = useBrandName();
  const { challenge } = campaign;
  return (
    <>
      <Section title="About">
        {campaign.description && <Text className="break">{campaign.description}</Text>}
        <Facts
          of={[
            ['State', <StateBadge key="state" state={campaignState(campaign)} />],
            ['Brand', brandName(campaign.brandId)],
            ['Points for each creator', number(campaign.pointsReward)],
            ['Starts', <Time key="starts" at={campaign.startsAt ?? campaign.createdAt} />],
            ['Ends', <Time key="ends" at={campaign.endsAt} />],
            [
              'Post',
              <Anchor key="post" href={challenge.canonicalUrl} target="_blank" rel="noreferrer">
                {challenge.canonicalUrl}
              </Anchor>,
            ],
            ['What creators do', challenge.instructionText],
          ]}
        />
      </Section>
      {caller.role !== 'client' && (
        <>
          <CampaignProgress campaignId={campaign.id} />
          <PostData challengeId={challenge.id} />
        </>
      )}
    </>
  );
}

function Actions({ campaign: { id, isActive } }: { readonly campaign: CampaignDetail }) {
  const { client, caller } = useSession();
  const [, goTo] = useLocation();
  const verify = useAction(() => client.campaigns.verifyAndReward({ id }), {
    done: ({ matched, verified, rewarded }) => `${matched} matched, ${verified} verified, ${rewarded} rewarded.`,
  });
  const end = useAction(() => client.campaigns.end({ id }), { done: () => 'The campaign has ended.' });
  const remove = useAction(() => client.campaigns.delete({ id }), {
    done: () => 'The campaign is deleted.',
    onDone: () => goTo('/campaigns'),
  });
  if (caller.role === 'client') return null;
  return (
    <>
      <Button component={Link} href={`/campaigns/${id}/participants`} variant="default">
        Participants
      </Button>
      <ResultsButton campaignId={id} />
      <ActionButton
        action={verify}
        confirm="Every registered creator who has fulfilled the challenge is verified and gets the points. This cannot be undone."
      >
        Verify and reward
      </ActionButton>
      {isActive && (
        <ActionButton
          action={end}
          confirm="Creators can no longer take part. Attempts and rewards stay. This cannot be undone."
        >
          End
        </ActionButton>
      )}
      <ActionButton
        action={remove}
        confirm="A campaign can be deleted while it has no attempts. Its stored comments and metrics go with it."
      >
        Delete
      </ActionButton>
    </>
  );
}
