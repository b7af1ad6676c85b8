/** One campaign: its post, how far its participants are, and what can be done with it. */

import type { CampaignDetail } from '@credence/client';
import { Menu, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { ActionItem, MoreMenu } from '../parts/action.tsx';
import { useBrandName } from '../parts/brands.tsx';
import { campaignState, limitsText, payingText, requirementsText, rulesText } from '../parts/campaign-words.ts';
import { DialogButton } from '../parts/form.tsx';
import { number, StateBadge, Time } from '../parts/format.tsx';
import { navigate } from '../parts/location.ts';
import { Answered, Facts, Page, Section } from '../parts/page.tsx';
import { useRead } from '../parts/reads.tsx';
import { AttemptCharts, OverTime } from '../parts/series.tsx';
import { useSession } from '../session.tsx';
import { DrawSection } from './campaign/draw.tsx';
import { EditCampaign } from './campaign/edit-campaign.tsx';
import { PostData } from './campaign/post-data.tsx';
import { CampaignProgress, useSummary } from './campaign/progress.tsx';
import { savingResults } from './campaign/results.ts';
import { RulesDialog } from './campaign/rules-dialog.tsx';
import { VerifyAndReward } from './campaign/verify-and-reward.tsx';

export default function CampaignPage({ id = '' }: { readonly id?: string }) {
  const { caller } = useSession();
  const campaign = useRead('campaigns.get', { id: Number(id) });
  const mayChange = caller.role !== 'client';
  return (
    <Page
      title={campaign.data?.title ?? 'Campaign'}
      above={{ to: '/campaigns', label: 'Campaigns' }}
      id={id}
      state={campaign.data && <StateBadge state={campaignState(campaign.data)} />}
      actions={campaign.data && mayChange && <Actions campaign={campaign.data} />}
    >
      <Answered query={campaign}>
        {(data) => (
          <>
            <About campaign={data} mayChange={mayChange} />
            {mayChange && (
              <>
                <CampaignProgress campaign={data} />
                {data.terms?.draw && <DrawSection id={data.id} terms={data.terms.draw} />}
                <OverTime>{(range) => <AttemptCharts range={range} of={{ campaignId: data.id }} />}</OverTime>
                <PostData challenge={data.challenge} />
              </>
            )}
          </>
        )}
      </Answered>
    </Page>
  );
}

function About({ campaign, mayChange }: { readonly campaign: CampaignDetail; readonly mayChange: boolean }) {
  const brandName = useBrandName();
  const { instructionText, rules, countHidden, requires, action } = campaign.challenge;
  const asksForComment = action === undefined;
  const rulesButton = mayChange && asksForComment && (
    <DialogButton dialog={(close) => <RulesDialog campaign={campaign} onClose={close} />}>
      Rules for comments
    </DialogButton>
  );
  return (
    <Section title="About" actions={rulesButton}>
      {campaign.description && <Text className="break">{campaign.description}</Text>}
      <Facts
        of={{
          Brand: brandName(campaign.brandId),
          'What creators do': instructionText,
          ...(asksForComment && { 'Comments that count': rulesText(rules, countHidden) }),
          'Accounts that count': requirementsText(requires),
          'Points for each creator': number(campaign.pointsReward),
          'When it pays': payingText(campaign.terms),
          'What it pays at most': limitsText(campaign.limits, campaign.limitsUsed),
          Starts: <Time at={campaign.startsAt ?? campaign.createdAt} />,
          Ends: campaign.endsAt === null ? 'When you end it' : <Time at={campaign.endsAt} />,
        }}
      />
    </Section>
  );
}

function Actions({ campaign }: { readonly campaign: CampaignDetail }) {
  const { id, title, isActive } = campaign;
  const summary = useSummary(id);
  const [isEdited, { open: edit, close }] = useDisclosure(false);
  return (
    <>
      <VerifyAndReward campaign={campaign} />
      <MoreMenu>
        <Menu.Item onClick={edit}>Edit</Menu.Item>
        <ActionItem {...savingResults({ campaignId: id })}>Save the participants as CSV</ActionItem>
        {isActive && (
          <ActionItem
            run={(client) => client.campaigns.end({ id })}
            done={() => `“${title}” has ended.`}
            question={`End “${title}”?`}
            about="Creators can no longer take part. Attempts and rewards stay. This cannot be undone."
          >
            End the campaign
          </ActionItem>
        )}
        {summary.data?.totalAttempts === 0 && (
          <ActionItem
            run={(client) => client.campaigns.delete({ id })}
            done={() => `“${title}” is deleted.`}
            onDone={() => navigate('/campaigns')}
            question={`Delete “${title}”?`}
            about="What was read of its post is deleted too. This cannot be undone."
          >
            Delete the campaign
          </ActionItem>
        )}
        {summary.data !== undefined && summary.data.totalAttempts > 0 && (
          <Menu.Label>With participants it cannot be deleted.</Menu.Label>
        )}
      </MoreMenu>
      {isEdited && (
        <EditCampaign campaign={campaign} isFixed={(summary.data?.totalVerified ?? 0) > 0} onClose={close} />
      )}
    </>
  );
}
